import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** The addresses of a name; `silent`: the server never answers. */
export type NameAnswer = readonly string[] | 'silent';

/** A name server on a loopback port: answers by script, and counts its queries. */
export class NameServer {
  /** `type name`, in order of arrival: `A cdn.test`. */
  readonly queries: string[] = [];
  private readonly socket: Socket = createSocket('udp4');

  constructor(private readonly answer: (type: 'A' | 'AAAA', name: string) => NameAnswer) {
    this.socket.on('message', (query, { port, address }) => {
      const reply = this.reply(query);
      if (reply) this.socket.send(reply, port, address);
    });
  }

  async listen(): Promise<this> {
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return this;
  }

  /** In the form that resolvers take. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): void {
    this.socket.close();
  }

  /** RFC 1035 4.1: the received question, then a record for each address; none: the name does not exist. */
  private reply(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA';
    const name = labels.join('.').toLowerCase();
    this.queries.push(`${type} ${name}`);
    const addresses = this.answer(type, name);
    if (addresses === 'silent') return undefined;
    const head = Buffer.from(query.subarray(0, 12));
    // A response, recursion as requested and available; NXDOMAIN where there is nothing.
    head.writeUInt16BE(addresses.length > 0 ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    return Buffer.concat([head, query.subarray(12, at + 5), ...addresses.map((address) => record(type, address))]);
  }
}

/** Record of the name in the question, valid for a minute. */
function record(type: 'A' | 'AAAA', address: string): Buffer {
  const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address, 'hex');
  const fixed = Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([fixed, data]);
}
