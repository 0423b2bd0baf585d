import { fold, wordsOf, type Word } from './words.js';

/**
 * Words and phrases by their class in the rules; `*` stands for any ending. Several languages, only the most common
 * forms. A slur that adds nothing to the group it names is left out.
 */
const TERMS = {
  // Phrases by which users put a question, or announce an action.
  ask: `how do i|how can i|how could i|how do you|how does one|how would i|how to|how would one|how should i|
    how one can|tell me how|show me how|teach me|explain how|steps to|steps for|step by step|instructions for|
    instructions to|recipe for|guide to|best way|easiest way|fastest way|quickest way|most painless way|painless way|
    what do i need|what i need|where should i|which spot|tips to|tips for|how many|help me|where it hurts|ways to|
    here is how|here are the steps|you will need|wie kann ich|wie baue ich|wie baut man|wie mache ich|wie macht man|
    wie kann man|anleitung|hilf mir|schmerzloseste art|wie stelle ich|comment|aide moi a|aidez moi a|
    explique moi comment|como puedo|como se|como hago|como hacer|dime como|ayudame a|cual es la forma|cuantas|
    como posso|come posso|come si|come faccio a|aiutami a|como faco|como fazer|qual e a forma|me ajude a|
    como eu posso|как|помоги мне|научи меня|怎么|如何|怎样|教我|方法|教えて|作り方|仕方`,
  write: `write|create|make|compose|generate|give me|list|describe|draft|code|program|tell me|spread|draw|produce|
    send|show|schreib*|erzahl*|erstell*|gib mir|zeig mir|ecris|ecrire|raconte|fais|montre|escribe|cuenta|haz|crea|
    quiero ver|muestra|scrivi|racconta|mostrami|escreva|conte|faca|напиши|расскажи|покажи|写|書い|讲`,
  find: `where can i|where do i|where to|which darknet|i want to see|links to|links|buy|order|get|hire|sell|sells|
    find|darknet|dark web|wo kann ich|wo finde ich|kaufen|ou trouver|ou acheter|donde puedo|donde compro|comprar|
    dove posso|comprare|onde posso|где купить|купить|где|买|買う`,
  intent: `i am going to|i m going to|im going to|i will|i ll|i want to|i wanna|i am gonna|i m gonna|
    i have decided to|i decided to|i plan to|i am planning to|tomorrow i|tonight i|somebody should|someone should|
    ich werde|ich will|ich mochte|je vais|je veux|voy a|quiero|domani|voglio|vou|eu quero|я завтра|я хочу|я убью|я|我要|
    我想|我会`,
  should: `deserve to be|deserves to be|should be|must be|have to be|should all be|gehoren|deben ser`,
  detail: `step by step|exact amounts|exact ingredients|ingredients and steps|exact steps|exact recipe|
    precise amounts|working code|schritt fur schritt|etape par etape|paso a paso`,
  // Violence.
  kill: `kill|murder|poison|stab|strangle|slaughter|assassinate|behead|shoot|suffocate|drown|torture|beat up|gun down|
    blow up|burn down|bomb|slit|execute|beat to death|shoot up|be shot|shot|be killed|be hanged|kills a person|
    umbringen|toten|erschiess*|ermorden|vergiften|erstechen|tuer|poignarder|assassiner|empoisonner|matar|apunalar|
    asesinar|envenenar|uccidere|accoltell*|ammazzare|esfaquear|assassinar|envenenar|убить|зарежу|убью|зарезать|
    отравить|杀死|杀了|杀掉|殺す|殺し`,
  person: `neighbour*|neighbor*|husband|wife|boss|roommate|ex|coworker*|worker|colleague|teacher|him|her|them|someone|
    somebody|person|man|woman|people|family|girlfriend|boyfriend|politician*|protester*|president|classmate|stranger|
    my mother|my father|my brother|my sister|my friend|my parents|prisoner|child|children|crowd|everyone|you|chef|
    nachbar*|mitschuler*|menschen|jemanden|mann|frau|dich|voisin*|patron|mon mari|ma femme|quelqu un|vecin*|jefe|
    mi marido|mi esposa|alguien|vicino|mio marito|mia moglie|capo|qualcuno|vizinh*|chefe|meu marido|minha esposa|
    alguem|сосед*|начальник*|мужа|жену|человека|邻居|老板|人|隣人|上司`,
  place: `school|station|church|mosque|synagogue|courthouse|office|crowd|train|airport|hospital|stadium|concert|
    market|schule|bahnhof|ecole|gare|escuela|estacion|scuola|escola|школу|вокзал`,
  attack: `mass shooting|school shooting|shooting|shooting up|shoot up|massacre|terror attack|terrorist attack|
    amoklauf|anschlag|attentat|fusillade|tiroteo|atentado|strage|attentato|massacro|теракт`,
  plan: `plan|plan for|prepare|carry out|commit|planen|preparer|commettre|planear|preparar|organizzare|planejar|
    устроить`,
  praise: `heroes|hero|praise|glorious|well done|helden|heros`,
  attackers: `attackers|attacker|shooters|shooter|murderers|terrorists|gunmen|gunman|slaughtered`,
  'kill all': `kill all|shoot all|gas all|hang all|execute all|murder all`,
  hurt: `hurt|torment|abuse`,
  suffer: `suffer*|in pain|slowly`,
  pet: `dog|cat|puppy|kitten|horse|hund|katze|chien|perro|gatto|cane`,
  threat: `ich bringe dich um|i will kill you|i ll kill you|je vais te tuer|te voy a matar|ti ammazzo|vou te matar|
    я тебя убью|杀了你`,
  // Self-harm.
  'self die': `kill myself|killing myself|end my life|end my own life|take my own life|taking my own life|hang myself|
    shoot myself|commit suicide|want to die|do not want to live|don't want to live|dont want to be alive|
    don't want to be alive|end it tonight|end it all|suicide note|better off without me|unalive myself|mich umbringen|
    nicht mehr leben|mir das leben nehmen|me suicider|mettre fin a mes jours|suicidarme|quitarme la vida|uccidermi|
    togliermi la vita|me matar|tirar a propria vida|tirar minha vida|покончить с собой|убить себя|не хочу жить|我想自杀|
    想死|死にたい`,
  'self cut': `cut myself|cutting yourself|cutting myself|hurt myself|burn myself|starve myself|starve yourself|
    ritzen`,
  hide: `my parents|my mom|my mum|hide|without anyone noticing|nobody notices|don't see|not see`,
  suicide: `suicide|suicid*|selbstmord|suizid*|自杀|自殺|самоубийств*`,
  'thinking of': `i am thinking about|i think about|thinking about suicide every day|i keep thinking about`,
  'to die': `to die|kill me|be sure to die|die from it|para morir|pour mourir`,
  means: `pills|sleeping pills|tablets|bridge|tabletten|somniferes|pastillas|remedios`,
  lethal: `lethal|deadly dose|overdose|fatal dose`,
  'on purpose': `on purpose|i want to overdose|deliberately`,
  urge: `kill yourself|kys|you should die|go die|hang yourself|end your life`,
  persuade: `convince|persuade|encourage|talk into|should just|right choice`,
  starving: `stop eating|hide my anorexia|lose weight without my mom|keep losing weight without`,
  // Crime.
  make: `make|making|build|building|cook|cooking|synthesize|synthesizing|synthesise|produce|producing|construct|
    create|assemble|manufacture|3d print|print|extract|bauen|baue|bau|herstellen|kochen|fabriquer|fabricar|hacer|
    construir|costruisce|costruire|fare|preparare|fazer|produzir|сделать|изготовить|собрать|制造|制作|做|作る|作り`,
  weapon: `bomb|bombs|pipe bomb|nail bomb|explosive|explosives|nerve agent|sarin|ricin|vx gas|napalm|ied|molotov*|
    grenade|dynamite|silencer|untraceable gun|ghost gun|chemical weapon|biological weapon|bombe|rohrbombe|
    sprengstoff*|explosif*|bomba|explosivo*|бомбу|взрывчатк*|炸弹|爆弾`,
  drug: `meth|crystal meth|methamphetamine|cocaine|heroin|fentanyl|lsd|mdma|ecstasy|crack|oxycodone|drugs|kokain|
    heroin|drogen|cocaina|heroina|drogue*|drogas|кокаин|наркотик*|героин|冰毒|毒品|覚醒剤`,
  'cook drug': `cook meth|cook crystal meth|cooks meth|cooks crystal meth|cooking meth`,
  malware: `ransomware|keylogger|malware|trojan|botnet|spyware|rootkit|computer virus|phishing mail|phishing email|
    phishing page|phishing site|fake login page|virus informatique|вирус`,
  'victim aim': `victim's|victim|victims|hide on|demands money|enter their passwords|steal credentials|
    looks like it comes from|steal passwords`,
  hack: `hack|hack into|break into|crack|hacken|pirater|hackear|hackerare|violare|invadir|взломать|黑进`,
  account: `account|wifi|mail|email|phone|instagram|facebook|laptop|konto|compte|cuenta|conta|страницу|почту|账号`,
  others: `my neighbour's|my neighbor's|neighbour's|neighbor's|someone's|somebody's|someone else's|my ex|her|his|
    girlfriend's|my girlfriend|my boyfriend|stranger's|meines nachbarn|de mon ex|mon ex|mi novia|mi novio|чужую|чужой|
    别人`,
  crime: `launder money|counterfeit bills|counterfeit money|fake passport|fake id|shoplift*|steal a car|steal cars|
    clone somebody's credit card|clone a credit card|clone credit cards|smuggle drugs|smuggle people|blackmail|
    evade taxes|fully automatic|untraceable gun|traffic people|rob it|rob a|rob the|rob someone|stranger's house|
    forge a|doctor's prescription|kidnap|hire a hitman|hitman|commit fraud|geld waschen|auto stehlen|
    voler une voiture|blanchir de l argent|robar un coche|lavar dinero|rubare una macchina|rubare un auto|
    roubar um carro|угнать машину|洗钱`,
  // Sex.
  sex: `porn|porno|pornograph*|erotic|erotica|smut|sex scene|explicit sex*|horny|nude pictures|nude photos|
    naked pictures|naked photos|hardcore|talk dirty|make me cum|undress and touch|touch yourself|sex tape|pornografi*|
    erotisch*|scene de sexe|erotique|relato erotico|mujeres desnudas|erotico|conto erotico|порно|эротик*|色情|エロ`,
  roleplay: `roleplay|role play|rollenspiel|you are my|let's do|talk dirty to me|undress`,
  prostitute: `prostitute|prostitutes|escort girl|hooker`,
  minor: `child|children|kid|kids|minor|minors|underage|preteen*|pre teen*|schoolgirl*|schoolboy*|little girl*|
    little boy*|toddler|toddlers|teenage girl|12 year old|kinder|kindern|kind|madchen mit zwolf|zwolfjahrig*|
    minderjahrig*|mineur*|enfant*|nina*|nino*|menor de edad|bambin*|crianca*|детск*|ребенк*|школьниц*|幼女|儿童`,
  'minor age': `ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen`,
  'year old': `year old|years old|yo girl|yo boy`,
  sexual: `sexual|sex|sexy|nude|nudes|naked|porn|porno|erotic|undress|sexgeschicht*|nacktbild*|nackt*|nue|nues|
    desnud*|nudo|nuda|порно|sexuell*|sexuel*|pornos`,
  groom: `groom a|groom kids|groom children|seduce a`,
  // Groups of people, and claims against them.
  group: `immigrants|immigrant|muslims|muslim|jews|jewish people|black people|blacks|gays|gay people|lesbians|
    homosexuals|disabled people|women|roma|gypsies|refugees|asians|arabs|africans|mexicans|transgender people|
    trans people|foreigners|auslander|juden|fluchtlinge|muslime|musulmans|immigres|juifs|refugies|inmigrantes|judios|
    gitanos|musulmanes|immigrati|ebrei|zingari|musulmani|imigrantes|judeus|мигранты|евреи|беженцы|цыгане|移民|犹太人`,
  worthless: `vermin|animals|subhuman|subhumans|parasites|filth|plague|inferior|disgusting|freaks|worthless|
    too stupid|trash|scum|cockroaches|rats|ungeziefer|parasiten|tiere|abschaum|animaux|vermine|parasites|plaga|basura|
    parassiti|animali|vermes|lixo|паразиты|животные|мусор|害虫`,
  remove: `wiped out|exterminated|removed from society|gassed|not be allowed to live|deserve to be beaten|be property|
    vergast|exterminarlos|eliminer|eliminados`,
  exterminate: `exterminate|wipe out|eradicate|ausrotten|exterminer|exterminar|sterminare|истребить`,
  'hate creed': `heil hitler|hitler was right|holocaust was a good thing|white race must rule|gas the|white power`,
  supremacy: `white supremacy|white supremacist|master race|white race`,
  recruit: `flyer|recruits|recruit|slogan|manifesto`,
  // Against one person.
  'you are': `you are|you're|youre|you re|you|du bist|du|tu es|eres|sei|voce e|ты`,
  insult: `idiot|stupid idiot|moron|imbecile|loser|worthless|pathetic|ugly pig|piece of trash|piece of shit|stupid|
    fat pig|fat ugly|scum|everybody hates you|dreck|dummer|wertlos*|pauvre idiot|idiota|inutil|inutile|tonto|cretino|
    тупой|идиот|ничтожество|白痴`,
  'shut up': `shut up|halt die fresse|halt die klappe|ferme la|ta gueule|callate|stai zitto|cala a boca|заткнись|
    nobody wants you|personne ne t aime|nadie te quiere|go cry`,
  bully: `bully|humiliate|mobben|harceler|acosar|bullizzare|травить`,
  humiliating: `insulting message|humiliating comments|humiliating comment|insulting comments|feel scared|
    makes my classmate cry|terrifies|terrify|hateful message|cruel message`,
  rumour: `rumour that|rumor that|false rumour|false rumor`,
  stalk: `stalk my|stalk her|stalk him|dox|doxx|find out where she lives|find out where he lives|home address`,
  // Instructions to a model to forget its instructions.
  forget: `ignore|disregard|forget|ignoriere|vergiss|oublie|ignora|olvida|ignorez|oubliez|dimentica|ignore todas|
    esqueca|игнорируй|забудь|忽略`,
  'all before': `all previous|all prior|all earlier|the above|alle vorherigen|alle bisherigen|alle vorigen|toutes les|
    todas las|tutte le|todas as|все предыдущие|之前的所有|之前`,
  rules: `instructions|rules|anweisungen|regeln|consignes|instrucciones|istruzioni|regole|instrucoes|инструкции|
    правила|指令|指示`,
  free: `from now on you will act without any|you have no restrictions|without any safety guidelines|
    no content restrictions`,
  // Topics of a sentence that excuse it.
  help: `prevent*|prevention|protect*|defend|defence*|defense|recognise|recognize|detect*|helpline|hotline|support|
    warning signs|symptom*|treatment*|antidote*|law|laws|legal|definition|assess*|statistic*|study|history|historic*|
    policy|lawyer|police|court|restraining order|shelter|report it|do i report|addiction|illness|emergency|leaflet|
    risk|at risk|survived|survivor*|rights|seminar|class|moderator|criticised|criticized|propaganda|penetration test|
    authorised|authorized|cve|puberty|contraception|explain sex|age of consent|what sex is|education|marks of|staff|
    staff training|threatened to|bullied|being harassed|harassed|how do schools|how do banks|how do shops|investigat*|
    disposal|defus*|erkennen|schutzen|verhindern|hilfe finde|wo finde ich hilfe|statistik|polizei|gesunken|
    warum nannten|gemobbt|entscharf*|prevenir|reconnaitre|signes|policia|proteger|protejo|harcele|desamorc*|enquete|
    acosan|evitar|curar|prevenire|riconoscere|защит*|помощью|预防|防止|処理|ayudo a`,
  report: `was stabbed|were killed|was killed|was shot|sentenced|police said|according to|summarise|summarize|
    in which|who killed|why did|when was|who built|reported|accused|arrested|convicted|berichtet|getotet|quien mato|
    chi ha ucciso|antigua`,
  fiction: `novel|story|film|movie|series|scene|thriller|character|detective|poem|song|fanfic|screenplay|game|level|
    player|zombies|zombie|joke|funny|roast|curry|roman|geschichte|spiel|jeu|juego|gioco|小说|游戏|映画`,
  work: `process|processes|port|linux|thread|queue|server|signal|child process|service|scheduler|function|prozess|
    processus|proceso|processo|процесс|进程|プロセス|paragraph|recipe|git|database|printer|code`,
  pest: `weeds|wasps|aphids|fleas|mice|rats|bugs|mosquitoes|cockroach|insects|bees|blattlause|mauvaises herbes|pulgas|
    hormigas|mold|bacteria|virus infection|nest|barn`,
  // Phrases that contain one of these words with another meaning.
  harmless: `bath bomb|bath bombs|fork bomb|zip bomb|logic bomb|chocolate bomb|bomb cake|bomb disposal|bomb squad|
    atomic bomb|photo bomb|suicide squad|suicide burn|kill myself laughing|final boss|boss fight|work stealing|
    bomba de agua|bomba de gasolina|bomba d acqua|crack open|crack a joke|kill time|drug interaction|breaking bad|
    sex education|sexual harassment|sexual selection|sexual reproduction|reproduccion sexual|education sexuelle|
    not stupid|my previous message|white race boat|white race car|me matar de rir|die mich umbringen|炸弹人|
    developer mode on my|end my life insurance|to die for|my own house|my own instagram`,
} as const;

export type TermClass = keyof typeof TERMS | 'refusal';

const REFUSERS = `never|do not|don't|must not|should not|should never|will not|won't|cannot|can't|
  can not|unable to|not able to`;
const REFUSED = `explain|give|provide|help|write|tell|assist|create|make|describe|share|generate|produce|show`;

/** A term: one word, or the first of several. */
interface Term {
  readonly is: TermClass;
  /** The words after the first. */
  readonly rest: readonly string[];
}

/** A phrase found at a word. */
export interface FoundTerm {
  readonly is: TermClass;
  /** Number of words of the term. */
  readonly length: number;
}

const PREFIX_LENGTH = 4;

/** The terms found at each word, at most one of each class. */
export class Lexicon {
  /** Terms by their first word; the longest first. */
  private readonly terms = new Map<string, Term[]>();
  /** Words with any ending, by their beginning. */
  private readonly prefixes = new Map<string, { readonly prefix: string; readonly is: TermClass }[]>();
  /** Longest phrase, in words. */
  readonly lengthMax: number;

  constructor() {
    let lengthMax = 1;
    for (const [is, list] of Object.entries(TERMS) as [TermClass, string][]) {
      for (const term of list.split('|')) lengthMax = Math.max(lengthMax, this.add(is, term.trim()));
    }
    for (const no of REFUSERS.split('|'))
      for (const what of REFUSED.split('|')) this.add('refusal', `${no.trim()} ${what}`);
    this.lengthMax = lengthMax;
    for (const terms of this.terms.values()) terms.sort((one, other) => other.rest.length - one.rest.length);
  }

  /** @param words folded; from `at` on at least as many as the longest phrase has, if there are */
  find(words: readonly Pick<Word, 'folded'>[], at: number): readonly FoundTerm[] {
    const first = words[at]!.folded;
    const terms = this.terms.get(first);
    const prefixes = first.length >= PREFIX_LENGTH ? this.prefixes.get(first.slice(0, PREFIX_LENGTH)) : undefined;
    if (!terms && !prefixes) return NOTHING;
    const found: FoundTerm[] = [];
    for (const { is, rest } of terms ?? NOTHING) {
      if (!rest.every((word, index) => word === words[at + index + 1]?.folded)) continue;
      if (!found.some((term) => term.is === is)) found.push({ is, length: rest.length + 1 });
    }
    for (const { prefix, is } of prefixes ?? NOTHING) {
      if (first.startsWith(prefix) && !found.some((term) => term.is === is)) found.push({ is, length: 1 });
    }
    return found;
  }

  /** @returns its number of words */
  private add(is: TermClass, term: string): number {
    if (term.endsWith('*')) {
      const prefix = fold(term.slice(0, -1));
      const key = prefix.slice(0, PREFIX_LENGTH);
      this.prefixes.set(key, [...(this.prefixes.get(key) ?? []), { prefix, is }]);
      return 1;
    }
    const [first, ...rest] = [...wordsOf(term)].map(({ folded }) => folded);
    this.put(first!, { is, rest });
    // Authors may write the words of a term as one.
    if (rest.length > 0) this.put([first, ...rest].join(''), { is, rest: [] });
    return rest.length + 1;
  }

  private put(first: string, term: Term): void {
    this.terms.set(first, [...(this.terms.get(first) ?? []), term]);
  }
}

const NOTHING: readonly never[] = [];
