import { gzipSync } from "node:zlib";

/** A file of an archive. */
export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

const BLOCK = 512;

/** A tar.gz that is the same, byte for byte, wherever it is made: no times, no owners, and launchers that may be run. */
export function tarball(entries: readonly TarEntry[]): Buffer {
  const files = entries.flatMap((entry) => [headerOf(entry), padded(entry.content)]);
  const packed = gzipSync(Buffer.concat([...files, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  // The byte that names the operating system that packed it.
  packed[9] = 0xff;
  return packed;
}

function headerOf({ name, content, isExecutable }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  const fields: readonly (readonly [offset: number, text: string])[] = [
    [0, name],
    [100, octal(isExecutable ? 0o755 : 0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(content.length, 12)],
    [136, octal(0, 12)],
    [148, " ".repeat(8)],
    [156, "0"],
    [257, "ustar\0"],
    [263, "00"],
  ];
  for (const [offset, text] of fields) {
    header.write(text, offset, "latin1");
  }
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
