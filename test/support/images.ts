// Images of any size, of which only the header is real, because readers take the size from it.

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(33);
  bytesOf('\x89PNG\r\n\x1a\n\0\0\0\rIHDR').copy(header);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

/** @param before bytes of each segment before the size */
export function jpeg(width: number, height: number, before: readonly number[] = [16], frame = 0xc0): Buffer {
  const segments = before.map((length) =>
    Buffer.concat([Buffer.from([0xff, 0xe1]), u16(length + 2), Buffer.alloc(length, 0xff)]),
  );
  const start = [Buffer.from([0xff, frame]), u16(11), Buffer.from([8]), u16(height), u16(width), Buffer.alloc(8)];
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, ...start]);
}

/** @param frame the area of its first frame, where that is not the whole screen */
export function gif(width: number, height: number, frame = { left: 0, top: 0, width, height }): Buffer {
  const screen = Buffer.alloc(13);
  bytesOf('GIF89a').copy(screen);
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  // A table of four colours, and a comment in two pieces.
  screen[10] = 0x81;
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, 2]), bytesOf('ab'), Buffer.from([1]), bytesOf('c\0')]);
  const image = Buffer.alloc(12);
  image[0] = 0x2c;
  [frame.left, frame.top, frame.width, frame.height].forEach((value, index) => {
    image.writeUInt16LE(value, 1 + 2 * index);
  });
  return Buffer.concat([screen, Buffer.alloc(12), comment, image]);
}

export function webp(width: number, height: number, kind: 'VP8 ' | 'VP8L' | 'VP8X'): Buffer {
  const header = Buffer.alloc(40);
  bytesOf(`RIFF\0\0\0\0WEBP${kind}`).copy(header);
  if (kind === 'VP8 ') {
    header.writeUInt16LE(width, 26);
    header.writeUInt16LE(height, 28);
  } else if (kind === 'VP8L') {
    header[20] = 0x2f;
    header.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 21);
  } else {
    header.writeUIntLE(width - 1, 24, 3);
    header.writeUIntLE(height - 1, 27, 3);
  }
  return header;
}
