/**
 * Checks that the documented behaviour of `deploy` and the Dockerfile is real, and stays so when settings change.
 * Manifests are rendered by kubectl, the unit is checked by systemd-analyze, the nginx of compose runs against a name
 * server and replicas of the test, the image's health check against a server that answers, refuses and hangs; the
 * rest is read. Parts that need a missing program are skipped, and counted as skipped. Proxies under load:
 * scripts/rolling.mjs.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { parse, parseAllDocuments } from 'yaml';
import { NameServer } from './support/name-server.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '..');
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
/** Beyond FAIRLEAD_DRAIN: docs/operate/scaling.md#stopping. */
const STOP_SECONDS = 20;
const drainOf = (text: string): number => Number(/^(\d+)s$/.exec(text)![1]);
const defaultDrain = drainOf(/`FAIRLEAD_DRAIN` \| `(\w+)`/.exec(read('docs', 'operate', 'configuration.md'))![1]!);
const settings = new Set(
  [...read('docs', 'operate', 'configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name),
);

const describeWith = (program: string): jest.Describe =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? describe : describe.skip;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-deploy-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<unknown> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  return closed;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly data?: Record<string, string>;
  // Each kind has a separate form: the test expects only the parts that it reads.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly spec: any;
}

describeWith('kubectl')('the Kubernetes manifests', () => {
  const rendered = new Map<string, readonly Manifest[]>();

  beforeAll(async () => {
    const copy = join(folder, 'kubernetes');
    cpSync(join(ROOT, 'deploy', 'kubernetes'), copy, { recursive: true });
    for (const folder of ['base', 'overlays/small', 'overlays/production']) {
      for (const file of readdirSync(join(copy, folder)))
        if (file.endsWith('.example')) copyFileSync(join(copy, folder, file), join(copy, folder, file.slice(0, -8)));
      const { stdout } = await run('kubectl', ['kustomize', join(copy, folder)]);
      rendered.set(
        folder,
        parseAllDocuments(stdout).map((document) => document.toJS() as Manifest),
      );
    }
  });

  const all = (folder: string, kind: string): Manifest[] => rendered.get(folder)!.filter((one) => one.kind === kind);
  const gateway = (folder: string): Manifest =>
    all(folder, 'Deployment').find((one) => one.metadata.name === 'fairlead')!;
  const configOf = (folder: string): Record<string, string> => all(folder, 'ConfigMap')[0]!.data!;

  describe.each(['base', 'overlays/small', 'overlays/production'])('%s', (folder) => {
    it('probes health where the gateway serves it', () => {
      const [container] = gateway(folder).spec.template.spec.containers;
      const port = container.ports.find(({ name }: { name: string }) => name === 'health').containerPort;
      expect(String(port)).toBe(configOf(folder)['FAIRLEAD_HEALTH_PORT']);
      expect(container.startupProbe.httpGet).toEqual({ path: '/health/ready', port: 'health' });
      expect(container.readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'health' });
      expect(container.livenessProbe.httpGet).toEqual({ path: '/health/live', port: 'health' });
    });

    it('gives a pod the time to drain', () => {
      const drain = drainOf(configOf(folder)['FAIRLEAD_DRAIN']!);
      expect(gateway(folder).spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
        drain + STOP_SECONDS,
      );
    });

    it('keeps the service up while nodes are emptied, and adds replicas under load', () => {
      const { template, selector } = gateway(folder).spec;
      const [budget] = all(folder, 'PodDisruptionBudget');
      expect(budget!.spec).toEqual({ maxUnavailable: 1, selector });
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      const [scaler] = all(folder, 'HorizontalPodAutoscaler');
      expect(scaler!.spec.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'fairlead' });
      expect(scaler!.spec.minReplicas).toBeGreaterThan(1);
      expect(scaler!.spec.maxReplicas).toBeGreaterThan(scaler!.spec.minReplicas);
    });

    it('runs without root, rights, or a file system to write to', () => {
      const { securityContext, containers } = gateway(folder).spec.template.spec;
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const written = containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
      expect(written).toEqual(['/data', '/tmp']);
    });

    it('runs the release of this checkout, with settings that there are', () => {
      expect(gateway(folder).spec.template.spec.containers[0].image).toBe(`fairlead:${version}`);
      expect(Object.keys(configOf(folder)).filter((name) => !settings.has(name))).toEqual([]);
    });
  });

  it('has no secret in the base', () => {
    expect(all('base', 'Secret')).toEqual([]);
    expect(gateway('base').spec.template.spec.containers[0].envFrom).toContainEqual({
      secretRef: { name: 'fairlead' },
    });
  });

  describe.each(['small', 'production'])('the secrets of %s', (overlay) => {
    const folder = `overlays/${overlay}`;

    it('reach pods by reference alone', () => {
      const secrets = all(folder, 'Secret');
      const names = secrets.map(({ metadata }) => metadata.name);
      const values = secrets
        .flatMap(({ data }) => Object.values(data!))
        .map((text) => Buffer.from(text, 'base64').toString());
      const others = rendered.get(folder)!.filter(({ kind }) => kind !== 'Secret');
      const referred = [...JSON.stringify(others).matchAll(/"secretRef":\{"name":"([^"]+)"/g)].map(([, name]) => name);
      expect(new Set(referred)).toEqual(new Set(names));
      const inClear = values.filter((value) => value.length > 0 && JSON.stringify(others).includes(value));
      expect(inClear).toEqual([]);
    });

    it('do not exist before the operator has created them', () => {
      const source = read('deploy', 'kubernetes', 'overlays', overlay, 'kustomization.yaml');
      const { secretGenerator } = parse(source) as { secretGenerator: { envs: string[] }[] };
      const kept = read('deploy', 'kubernetes', 'overlays', overlay, '.gitignore').split('\n');
      for (const generator of secretGenerator) {
        expect(Object.keys(generator).sort()).toEqual(['envs', 'name']);
        expect(kept).toEqual(expect.arrayContaining(generator.envs));
      }
    });
  });

  it('has the database outside in production, and beside the gateway where it is only tried', () => {
    const hostOf = (folder: string): string => {
      const { data } = all(folder, 'Secret').find(({ data: of }) => of!['DATABASE_URL'])!;
      return new URL(Buffer.from(data!['DATABASE_URL']!, 'base64').toString()).hostname;
    };
    const services = (folder: string): string[] => all(folder, 'Service').map(({ metadata }) => metadata.name);
    expect(services('overlays/production')).toEqual(['fairlead']);
    expect(all('overlays/production', 'StatefulSet')).toEqual([]);
    expect(hostOf('overlays/production')).toMatch(/\./);
    expect(services('overlays/small')).toContain(hostOf('overlays/small'));
  });
});

interface Service {
  readonly build?: object;
  readonly image: string;
  readonly environment?: Record<string, string>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Record<string, { readonly condition: string }>;
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } };
}
const compose = parse(read('deploy', 'compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  configs: { nginx: { content: string } };
};
/** In the form that compose passes on. */
const nginxOfCompose = compose.configs.nginx.content.replaceAll('$$', '$');

describe('deploy/compose.yaml', () => {
  const replicas = Object.entries(compose.services).filter(([name]) => name.startsWith('gateway-'));

  it('has two replicas behind nginx, with PostgreSQL and Redis', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['gateway-1', 'gateway-2', 'nginx', 'postgres', 'redis']);
    expect(replicas).toHaveLength(2);
  });

  it('waits for the health of what has a health check', () => {
    for (const [name, { healthcheck, build, depends_on: needs = {} }] of Object.entries(compose.services)) {
      // The health check of the image is the gateway's.
      expect([name, healthcheck?.test.length ?? build !== undefined]).not.toEqual([name, false]);
      for (const { condition } of Object.values(needs)) expect(condition).toBe('service_healthy');
    }
  });

  it('has no secret of its own: each is demanded or optional', () => {
    for (const { environment = {} } of Object.values(compose.services))
      for (const [name, value] of Object.entries(environment)) {
        if (/KEY|PASSWORD/.test(name)) expect(value).toMatch(/^\$\{\w+:(\?[^}]+|-)\}$/);
        if (name === 'DATABASE_URL') expect(value).toMatch(/^postgres:\/\/fairlead:\$\{POSTGRES_PASSWORD:\?[^}]+\}@/);
      }
  });

  it('runs replicas without rights, drains them, and publishes nginx on loopback alone', () => {
    for (const [, replica] of replicas) {
      expect(replica).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(drainOf(replica.stop_grace_period!)).toBeGreaterThanOrEqual(defaultDrain + STOP_SECONDS);
    }
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([['nginx', ['127.0.0.1:8080:8080']]]);
  });

  it('trusts nginx in whichever network Docker has made', () => {
    for (const [, { environment }] of replicas) {
      const ranges = environment!['FAIRLEAD_TRUST_PROXY']!.split(',').map((range) => ipaddr.parseCIDR(range));
      for (const address of ['172.17.0.4', '172.31.0.4', '192.168.0.4', '192.168.240.4', '10.89.0.4'])
        expect([address, ranges.some((range) => ipaddr.parse(address).match(range))]).toEqual([address, true]);
      expect(Object.keys(environment!).filter((name) => !settings.has(name) && !/^[A-Z]+_API_KEY$/.test(name))).toEqual(
        [],
      );
    }
  });

  it('looks replicas up at the name that they have', () => {
    const [, name, port] = /set \$gateways (\w+);[^]*proxy_pass http:\/\/\$gateways:(\d+);/.exec(nginxOfCompose)!;
    for (const [, { networks }] of replicas) expect(networks!.default.aliases).toEqual([name]);
    expect(read('Dockerfile')).toContain(`PORT=${port} `);
  });
});

describeWith('nginx')('the nginx of deploy/compose.yaml', () => {
  /** The addresses of the replicas' name, as Docker would return them. */
  let addresses: readonly string[] = [];
  let names: NameServer;
  let nginx: ReturnType<typeof spawn>;
  let port: number;
  let origin: string;
  const seen: (string | string[] | undefined)[] = [];
  const answer: RequestListener = (request, response) => {
    seen.push(request.headers['x-forwarded-for']);
    request.resume().on('end', () => response.end(request.socket.localAddress));
  };
  const ask = async (): Promise<string> => {
    const response = await fetch(origin, {
      method: 'POST',
      body: 'x'.repeat(2000),
      headers: { 'x-forwarded-for': '6.6.6.6' },
    });
    return response.ok ? await response.text() : `status ${response.status}`;
  };

  beforeAll(async () => {
    names = await new NameServer((type) => (type === 'A' ? addresses : [])).listen();
    const probe = createServer();
    port = await listen(probe);
    const front = createServer();
    const frontPort = await listen(front);
    await Promise.all([close(probe), close(front)]);
    origin = `http://127.0.0.1:${frontPort}/`;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (of) => `${of}_temp_path ${folder}/${of};`,
    );
    const file = join(folder, 'nginx.conf');
    const text = nginxOfCompose
      .replace('127.0.0.11', names.address)
      .replace(':8787', `:${port}`)
      .replace('listen 8080', `listen 127.0.0.1:${frontPort}`);
    writeFileSync(
      file,
      `daemon off; pid ${folder}/pid; events {}\nhttp { access_log off; ${temporary.join(' ')}\n${text}\n}`,
    );
    nginx = spawn('nginx', ['-c', file, '-p', folder, '-e', join(folder, 'nginx.log')], { stdio: 'ignore' });
    while (!(await fetch(origin).catch(() => undefined))) expect(nginx.exitCode).toBeNull();
  });
  afterAll(async () => {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
    names.close();
  });

  it('finds a replica that was recreated at another address, and skips one that is gone', async () => {
    const [former, latter] = [createServer(answer), createServer(answer)];
    await listen(former, port, '127.0.0.2');
    addresses = ['127.0.0.2'];
    while ((await ask()) !== '127.0.0.2');
    await close(former);
    await listen(latter, port, '127.0.0.3');
    addresses = ['127.0.0.3'];
    while ((await ask()) !== '127.0.0.3');
    // The address of the stopped one is still returned: its connections are refused.
    addresses = ['127.0.0.2', '127.0.0.3'];
    const queriesBefore = names.queries.length;
    while (names.queries.length === queriesBefore) await ask();
    const answers = [];
    for (let n = 0; n < 20; n++) answers.push(await ask());
    expect(new Set(answers)).toEqual(new Set(['127.0.0.3']));
    await close(latter);
  });

  it('passes replicas the address it saw, whatever the caller sends', () => {
    expect(new Set(seen)).toEqual(new Set(['127.0.0.1']));
  });
});

describe('deploy/systemd/fairlead@.service', () => {
  const unit = read('deploy', 'systemd', 'fairlead@.service');

  it('gives the process the time to drain', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])).toBeGreaterThanOrEqual(defaultDrain + STOP_SECONDS);
  });

  it('gives each replica a folder and settings of its own', () => {
    expect(unit).toContain('DATA_DIR=/var/lib/fairlead/%i\n');
    expect(unit).toContain('StateDirectory=fairlead/%i\n');
    expect([...unit.matchAll(/^EnvironmentFile=(.*)$/gm)].map(([, file]) => file)).toEqual([
      '/etc/fairlead/fairlead.env',
      '-/etc/fairlead/%i.env',
    ]);
  });

  describeWith('systemd-analyze')('to systemd', () => {
    it('is a unit without a fault', async () => {
      const file = join(folder, 'fairlead@.service');
      // Node is at another path on some machines, and no other difference is permitted.
      writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
      const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', file]);
      expect(stdout + stderr).toBe('');
    });
  });
});

describe('the Dockerfile', () => {
  const text = read('Dockerfile');
  const [program, ...words] = JSON.parse(/^HEALTHCHECK [^\n]*\\\n\s+CMD (.*)$/m.exec(text)![1]!) as [
    string,
    ...string[],
  ];
  const healthOf = async (variables: Record<string, string>): Promise<number> => {
    const child = spawn(program, words, { env: { PATH: process.env['PATH']!, ...variables }, stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number];
    return code;
  };

  it('is labelled with the release of this checkout', () => {
    expect(text).toContain(`ARG VERSION=${version}\n`);
    const { license } = JSON.parse(read('package.json')) as { license: string };
    expect(text).toContain(`org.opencontainers.image.licenses="${license}"`);
    for (const label of ['title', 'version', 'revision']) expect(text).toContain(`org.opencontainers.image.${label}=`);
  });

  it('ends as a user that is not root, by number', () => {
    expect([...text.matchAll(/^USER (.*)$/gm)].map(([, user]) => user)).toEqual(['1000:1000']);
  });

  it('probes health without a second Node', () => {
    expect([program, ...words].join(' ')).not.toMatch(/\bnode\b/);
  });

  it('is healthy while the gateway reports it, at its health port', async () => {
    let status = 200;
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.writeHead(status).end();
    });
    const port = String(await listen(server));
    expect(await healthOf({ PORT: port })).toBe(0);
    expect(await healthOf({ PORT: '1', FAIRLEAD_HEALTH_PORT: port })).toBe(0);
    status = 503;
    expect(await healthOf({ PORT: port })).not.toBe(0);
    expect(paths).toEqual(['/health/live', '/health/live', '/health/live']);
    await close(server);
    expect(await healthOf({ PORT: port })).not.toBe(0);
  });

  it('is not healthy while the gateway hangs', async () => {
    const server = createServer(() => undefined);
    const port = String(await listen(server));
    expect(await healthOf({ PORT: port })).not.toBe(0);
    await close(server);
  });
});
