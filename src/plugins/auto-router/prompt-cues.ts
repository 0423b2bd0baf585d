import type { PromptKind } from './prompt-class.js';

/** Words that indicate a kind, in several languages, by weight. A `*` stands for any ending. */
export type Cues = Readonly<Record<PromptKind, Readonly<Record<number, string>>>>;

/** Lower case, without accents. The weights were set on the odd lines of the labelled prompts. */
// oxfmt-ignore
export const WORD_CUES: Cues = {
  code: {
    4: 'python javascript typescript sql regex css html react django fastapi fastify dockerfile kubernetes terraform pytest jest webassembly '
      + 'alembic numpy pandas tsx jsx golang kotlin swift php laravel nginx postgresql mysql mongodb redis graphql vue angular svelte numpy ocaml haskell',
    3: 'git bash node java tsc rust code* programm* refactor* compil* debug* unittest* goroutine* mutex* deadlock* thread* async await callback* endpoint* '
      + 'api apis yaml json csv schema migrat* middleware lockfile github docker component* komponente* cod* kode funktion fonction funcion funcao '
      + 'typeerror exception* nullpointer* stacktrace segfault pprof excel vba snippet assembly bytecode opcode linter',
    2: 'function* script* array* arraylist list string* loop* bucle boucle schleife query quer* index class* method* variable* pointer* parser* '
      + 'bug* test* server* deploy* build* commit* branch* merge* queue cache* tree algorithm* algorithme algoritmo dictionar* dictionnaire '
      + 'database* datenbank* tabelle rds nil null undefined div formula partition* constraint* allokator allocator queue monorepo ',
  },
  math: {
    4: 'integral* integrate* derivative* ableitung derivee eigenvalue* eigenvector* probabilit* wahrscheinlichkeit probabilidad prove proof beweis* '
      + 'demontre* demuestra equation* gleichung* polynomial* theorem* asymptotic* matrix matrices primes primzahl* '
      + 'divisible modulo logarithm* trigonometr* divid* multipl* area flache площадь',
    3: 'solve* lose resous resolv* compute calculate* berechne* calcul* calcula* derive* converge* convergence suite group* gruppe sequence* sum '
      + 'percent* prozent cuanto decimal fraction* generating conversion apr interest payment power sample real continuous functions marbles dice dados trains',
    2: 'much many combien cuantos wieviel viele number* numbers seconds percent rate rabatt monthly total find show determine bestimme x y',
  },
  reasoning: {
    4: 'why warum pourquoi perche почему compar* vergleich* analys* analiz* evaluat* evalue beurteile bewerte argument* weigh discuss discut* '
      + 'advantage* disadvantage* avantage* inconvenient* vorteil* nachteil* ventaja* desventaja* pros cons tradeoff* '
      + 'cause* ursache* causa* diagnos* hypothes* critically implication* strateg* estrategia',
    3: 'explain* erklare explique* explica* spiega reason* reasoning recommend* recommendation empfehl* should sollte deberia decide* entscheid* factor* factores faktor* '
      + 'plan plane evidence objection* premise* risk* risque* riesgo* likely happened consider* criteria which better besser mejor mieux',
    2: 'if wenn si could would whether law legal rechtlich landlord patient symptom* market* economy economic history historical offer* labels liar truth '
      + 'older alter jungsten youngest tallest house* lives keeps assess* judge*',
  },
  writing: {
    4: 'poem* poeme poesia poema gedicht haiku sonnet* story stories cuento kurzgeschichte geschichte histoire nouvelle novel chapter letter* brief lettre carta email mail correo courriel '
      + 'essay speech keynote eulogy tagline* slogan* headline* title blog post linkedin tweet greeting* gruss gru*  message messages mahnung bewerbungs* motivation '
      + 'rewrite* rephrase* paraphras* proofread* reformul* umformul* formulier* redact* redig* verfass* rapport lyrics dialogue script bedtime limerick invitation',
    3: 'write draft compose schreib* ecris ecrivez escrib* scrivi napisz tone polite hoflich* formal professional style stil engaging catchy persuasive birthday geburtstag* '
      + 'thank remerciement disculpas apolog* description cover improve creative narrator rhyme rima strofe stanza',
    2: 'short kurz* corto court* warm paragraph sentence words worter mots palabras customer* colleague* audience voice sound sounds make give announce*',
  },
  extraction: {
    5: 'summar* summaris* tldr zusammenfass* zusammen resum* resumir extract* extrahier* extrae extraire extraia classif* klassifizier* categor* sentiment* label* releve',
    4: 'key points mentions bullet table tabla tableau minutes transcript abstract list* pull identify action items column columns markdown themes verbatim',
    3: 'following below text texto texte article artikel review reviews email emails addresses names dates amounts folgend* suivant siguiente seguir '
      + 'positive negative neutral positiv negativ satz satzen frases phrases punkte puntos nombres personas',
    2: 'each from these return returns which thread ticket tickets contract invoice rechnung rechnungsnummer facture',
  },
  translation: {
    7: 'translat* ubersetz* traduc* tradui* traduz* перевед* localis* localiz*',
    3: 'say heisst dice dit',
    2: 'english spanish french german italian japanese chinese portuguese russian dutch englische* englisch spanisch* franzosisch* deutsch ingles frances aleman '
      + 'anglais allemand espagnol tedesco inglese английский natural word',
  },
  chat: {
    5: 'hi hey hello hallo salut bonjour hola ciao thanks thank danke merci gracias obrigado bom joke wetter weather привет',
    3: 'who whos capital hauptstadt capitale quien qui wer wo where when tall built hoch hauteur altura painted wrote wrote recommend recommiendas recomiendas pelicula movie',
    2: 'what whats how do does is can your you cook eat dream tonight today heute aujourdhui hoy ok boil egg dia tudo bem morgen',
  },
  agentic: {
    4: 'repository repo calendar logs inbox folder ordner dossier carpeta browser spreadsheet incident channel deploys',
    3: 'search fetch* open run check* book send post upload* download* move browse navigate click install look report research* go reserve* schedule '
      + 'durchsuch* verschieb* schick* offne starte cherche* reserve* ouvre lance envoie abre ejecuta sube busca envia fix rollback roll',
    2: 'web online page pages link links pull request tests find list file files next tomorrow slot text folder',
  },
};

/** Phrases, and parts of words of languages that are written without spaces; they match anywhere. */
// oxfmt-ignore
export const PHRASE_CUES: readonly (readonly [kind: PromptKind, weight: number, phrases: string])[] = [
  ['translation', 8, '翻译|翻訳|译为|译成|how do you say|word for|was heißt|se dice|comment dit-on|put this into|come si dice'],
  ['translation', 4, ' into german| into french| into spanish| into english| to spanish| to french| to german| to english| to italian| ins englische| ins spanische| en anglais| en allemand| al inglés| para o inglês| in tedesco| на английский'],
  ['code', 5, '代码|函数|缓存|单元测试|字符串|组件|リファクタ|コード|аллокатор|c++|```|expression language'],
  ['math', 5, '证明|求|概率|数列|面積|面积|infinitely many|sample size|standard deviation|how many|how much interest|cuánto es|wie viel'],
  ['reasoning', 5, '比较|分析|利弊|为什么|建议|评价|原因|vor- und nachteile|pros and cons|help me decide|what could explain|what happened|por qué|trade-off'],
  ['writing', 5, '写一封|写一篇|帮我写|写一句|小说|书いて|書いて|メール|cover letter|product description|sound more|напиши письмо'],
  ['extraction', 6, '总结|要点|提取|要約|tl;dr|in one sentence|key points|action items|find all the mentions|what language is this|positiv oder negativ|as json|return json|als json|en una lista|comma separated'],
  ['chat', 6, '你好|how are you|wie geht|ça va|tudo bem|tell me a joke|what can you do|有多高|guten morgen'],
  ['agentic', 5, '打开|运行|提交代码|search the web|sur le web|open the pages|pull request|go through|look into|check the logs|text sam'],
];

/** Words that indicate a task of much work, of any kind. */
// oxfmt-ignore
export const HARD_WORDS =
  'prove proof beweis* demontre* derive design entwirf diseña disena implement* architect* critically evaluat* evalue beurteile analyse analysiere concurrent* '
  + 'strategy strategies estrategia invariants compiler novel chapter keynote migration asymptotic rigorous* unreliable tradeoffs contradiction* statutory '
  + 'counterfactual* contrefactuels themes correlate full complete vollstandig* thorough* research* kurzgeschichte';
export const HARD_PHRASES =
  '证明|设计|分析|小说|alle gegenargument|explain each|explain why|no result is lost|without downtime|from scratch|step by step|thread-safe|lock-free|trade-off|потокобезопасн';
