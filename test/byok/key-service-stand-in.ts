import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const AWS = {
  accessKeyId: 'AKIDCANARY',
  secretAccessKey: 'canary/secret+access/key',
  sessionToken: 'canary-session-token==',
  region: 'eu-central-1',
};
export const VAULT = { token: 'hvs.canary-token', namespace: 'team/a', mount: 'secrets/transit' };
/** The key that both have. */
export const KEY_NAME = '1234abcd-12ab-34cd-56ef-1234567890ab';

/** A request as the real server would read it. */
interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Answered {
  readonly status: number;
  readonly body: object;
}

/** How it misbehaves instead of answering. */
export type Misbehaviour = (response: ServerResponse, index: number) => boolean;

/**
 * A key service on a loopback port: it authenticates callers as strictly as the real one, and opens only what it
 * sealed, in its context.
 */
export class KeyServiceStandIn {
  readonly received: ReceivedRequest[] = [];
  misbehave: Misbehaviour = () => false;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  constructor(private readonly answer: (request: ReceivedRequest) => Answered) {}

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const { method, url, headers } = request;
    const received = { method: method!, path: url!, headers, body: Buffer.concat(parts).toString() };
    const index = this.received.push(received) - 1;
    if (this.misbehave(response, index)) return;
    const { status, body } = this.answer(received);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

/** Plaintexts that the fake key service has encrypted, by ciphertext. */
class Sealed {
  private readonly all = new Map<string, string>();

  add(ciphertext: string, plaintext: string, context: unknown): string {
    this.all.set(`${ciphertext} ${JSON.stringify(context)}`, plaintext);
    return ciphertext;
  }

  find(ciphertext: string, context: unknown): string | undefined {
    return this.all.get(`${ciphertext} ${JSON.stringify(context)}`);
  }
}

export function startKms(): Promise<KeyServiceStandIn> {
  const sealed = new Sealed();
  const refuse = (type: string): Answered => ({ status: 400, body: { __type: type, message: 'canary in a body' } });
  return new KeyServiceStandIn((request) => {
    const complaint = complaintOfSignature(request);
    if (complaint !== undefined) return refuse(complaint);
    if (request.headers['content-type'] !== 'application/x-amz-json-1.1') return refuse('SerializationException');
    const body = JSON.parse(request.body) as Record<string, string>;
    if (body['KeyId'] !== KEY_NAME) return refuse('NotFoundException');
    const context = body['EncryptionContext'];
    switch (request.headers['x-amz-target']) {
      case 'TrentService.Encrypt': {
        const blob = randomBytes(184).toString('base64');
        return {
          status: 200,
          body: { KeyId: `arn:${KEY_NAME}`, CiphertextBlob: sealed.add(blob, body['Plaintext']!, context) },
        };
      }
      case 'TrentService.Decrypt': {
        const plaintext = sealed.find(body['CiphertextBlob']!, context);
        return plaintext === undefined
          ? refuse('com.amazonaws.kms#InvalidCiphertextException')
          : { status: 200, body: { KeyId: `arn:${KEY_NAME}`, Plaintext: plaintext } };
      }
      default:
        return refuse('UnknownOperationException');
    }
  }).listen();
}

/** Signature Version 4, as received: the named headers must be present, and the signature must be right. */
function complaintOfSignature({ method, path, headers, body }: ReceivedRequest): string | undefined {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/kms\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/;
  const match = pattern.exec(headers.authorization ?? '');
  if (!match) return 'IncompleteSignatureException';
  const [, accessKeyId, day, region, names, signature] = match as unknown as string[];
  const time = String(headers['x-amz-date']);
  if (accessKeyId !== AWS.accessKeyId || headers['x-amz-security-token'] !== AWS.sessionToken) {
    return 'UnrecognizedClientException';
  }
  const ageMs = Date.now() - Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const signed = names!.split(';');
  const needed = ['content-type', 'host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target'];
  if (!(Math.abs(ageMs) < 300_000) || day !== time.slice(0, 8) || region !== AWS.region) return 'SignatureDoesNotMatch';
  if (!needed.every((name) => signed.includes(name))) return 'SignatureDoesNotMatch';
  const lines = signed.map((name) => `${name}:${String(headers[name])}\n`).join('');
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
  const canonical = `${method}\n${path}\n\n${lines}\n${names}\n${sha(body)}`;
  let key: Buffer = Buffer.from(`AWS4${AWS.secretAccessKey}`);
  for (const part of [day, region, 'kms', 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/kms/aws4_request\n${sha(canonical)}`;
  return createHmac('sha256', key).update(text).digest('hex') === signature ? undefined : 'InvalidSignatureException';
}

export function startVault(): Promise<KeyServiceStandIn> {
  const sealed = new Sealed();
  const refuse = (status: number, error: string): Answered => ({
    status,
    body: { errors: [error, 'canary in a body'] },
  });
  return new KeyServiceStandIn(({ method, path, headers, body: text }) => {
    if (headers['x-vault-token'] !== VAULT.token || headers['x-vault-namespace'] !== VAULT.namespace) {
      return refuse(403, 'permission denied');
    }
    const body = JSON.parse(text) as Record<string, string>;
    const context = [body['context'], body['associated_data']];
    if (context.some((each) => !each || Buffer.from(each, 'base64').toString('base64') !== each)) {
      return refuse(400, "missing 'context' for key derivation");
    }
    switch (`${method} ${path}`) {
      case `POST /v1/${VAULT.mount}/encrypt/${KEY_NAME}`: {
        const ciphertext = `vault:v1:${randomBytes(60).toString('base64')}`;
        return { status: 200, body: { data: { ciphertext: sealed.add(ciphertext, body['plaintext']!, context) } } };
      }
      case `POST /v1/${VAULT.mount}/decrypt/${KEY_NAME}`: {
        const plaintext = sealed.find(body['ciphertext']!, context);
        return plaintext === undefined
          ? refuse(400, 'cipher: message authentication failed')
          : { status: 200, body: { data: { plaintext } } };
      }
      default:
        return refuse(404, 'no handler for route');
    }
  }).listen();
}
