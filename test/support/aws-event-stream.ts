import { crc32 } from 'node:zlib';

const TEXT = 7;

/** One message of an AWS event stream; its headers are texts. */
export function awsMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
  const fields = Buffer.concat(Object.entries(headers).map(([name, value]) => awsHeader(name, TEXT, value)));
  return awsFrame(fields, Buffer.from(payload as string));
}

/** An event by its name. */
export const awsEvent = (name: string, payload: object): Buffer =>
  awsMessage(
    { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(payload),
  );

export const awsException = (name: string, payload: object): Buffer =>
  awsMessage(
    { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify(payload),
  );

/** A header of a type that contains its length. */
export function awsHeader(name: string, type: number, value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([type]), length, bytes]);
}

/** A message with these header bytes. */
export function awsFrame(headers: Buffer, payload: Buffer): Buffer {
  const frame = Buffer.alloc(16 + headers.length + payload.length);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, 12);
  payload.copy(frame, 12 + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}
