import type { RunFolder } from "../../provider/edge/runFile";

/** The file through which the processes of one run tell each other what they remember, in memory. */

/** What becomes of it: its folder is cleaned, the disk is full, or it belongs to another user from then on. */
const FILE_FAULTS = ["gone", "full", "foreign"] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

/** What a process does with the file. */
export type Use = "open" | "write" | "read";

/** @param faultAt what the n-th use of the file meets */
export function newDisk(faultAt: (index: number) => FileFault | undefined) {
  let file: { text: string } | undefined;
  let isFull = false;
  let isForeign = false;
  let isGivenUp = false;
  const uses: Use[] = [];

  function use(kind: Use): void {
    const fault = faultAt(uses.length);
    uses.push(kind);
    if (fault === "gone") {
      file = undefined;
    }
    isFull ||= fault === "full";
    isForeign ||= fault === "foreign";
  }

  /** The folder as one process has opened it. */
  function folder(): RunFolder {
    let own: typeof file;
    function opened(): { text: string } {
      if (isForeign) {
        throw failure("EACCES");
      }
      if (file === undefined || file !== own) {
        throw failure("ENOENT");
      }
      return file;
    }
    return {
      path: "/tmp/agent-platform-0",
      make() {
        use("open");
        if (isForeign || isGivenUp) {
          return isForeign ? "belongs to another user" : "lost the file of this run";
        }
        file ??= { text: "" };
        own = file;
        return undefined;
      },
      append(_name, line) {
        use("write");
        const found = opened();
        if (isFull) {
          found.text += line.slice(0, line.length / 2);
          throw failure("ENOSPC");
        }
        found.text += line;
      },
      readFrom(_name, position) {
        use("read");
        return Buffer.from(opened().text.slice(position));
      },
      giveUp() {
        isGivenUp ||= !isForeign;
        file = isForeign ? file : undefined;
      },
    };
  }
  return { folder, uses: uses as readonly Use[] };
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });
