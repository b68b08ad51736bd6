import { MONO, svg, xml } from "./svg";

/**
 * A terminal as it was: real output with its colours. What differs from run to run is made equal, and a long line goes on in the next
 * one. It takes a run of `try`, so not `npm run docs` draws docs/pictures/terminal.svg, but test/cli/try.spec.ts, with `npm run goldens`.
 */

const COLUMNS = 100;
const SIZE = 13;
const LINE = 19;
const LEFT = 20;
const WIDTH = Math.ceil(2 * LEFT + COLUMNS * SIZE * 0.602);

const STYLE = `
.line { font-family: ${MONO}; }
.frame { fill: #f6f8fa; stroke: #d1d9e0; }
.c1 { fill: #cf222e; } .c2 { fill: #1a7f37; } .c3 { fill: #9a6700; } .c13 { fill: #8250df; }
.prompt { fill: #0969da; }
@media (prefers-color-scheme: dark) {
.frame { fill: #151b23; stroke: #3d444d; }
.c1 { fill: #ff7b72; } .c2 { fill: #3fb950; } .c3 { fill: #d29922; } .c13 { fill: #d2a8ff; }
.prompt { fill: #4493f8; }
}`;

/** A line that no reader looks for: the engine's own addresses and names, and times. */
const isLeftOut = (text: string): boolean =>
  /^\s*\[(urn|id)=|^ {2}at \d+ %|pulumi:pulumi:Stack|\bupdating \(|^Duration:|^(Previewing update|Updating) \(/.test(
    text,
  );

const ESCAPE = "\u001b";
const SEQUENCE = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`);
const withoutColours = (text: string): string => text.replace(new RegExp(SEQUENCE, "g"), "");

/** The part of `try` in which a rollout is promoted: the diff, the run, and who answers then. */
export function excerptOf(output: string): string[] {
  const lines = output.split("\n");
  const start = lines.findIndex((line) => line.startsWith("$ npx pulumi-agent-platform promote"));
  const end = lines.findIndex((line) => line.startsWith("The new version is bad."));
  const shown = lines
    .slice(start, end)
    .filter((line) => !isLeftOut(withoutColours(line)))
    .filter((line, index, all) => withoutColours(line) !== "" || withoutColours(all[index - 1] ?? "") !== "")
    .map((line) => line.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:8080").replace(/\((\d+(\.\d+)?)s\)/, "(0.2s)"));
  return shown.slice(0, shown.findLastIndex((line) => line !== "") + 1);
}

interface Span {
  readonly text: string;
  readonly className: string;
  readonly isBold: boolean;
}

/** The rows of a line, each of at most so many columns: a word that does not fit begins the next one. */
function rowsOf(line: string): Span[][] {
  const rows: Span[][] = [[]];
  let left = COLUMNS;
  for (const { text, ...look } of spansOf(line)) {
    let part = "";
    const end = () => rows.at(-1)?.push({ text: part, ...look });
    for (const word of text.split(/(?<= )(?=[^ ])/)) {
      if (word.trimEnd().length > left) {
        end();
        rows.push([]);
        [part, left] = ["", COLUMNS];
      }
      part += word;
      left -= word.length;
    }
    end();
  }
  return rows.map((row) => row.filter(({ text }) => text !== ""));
}

function spansOf(line: string): Span[] {
  const spans: Span[] = [];
  let [className, isBold] = line.startsWith("$ ") || line.startsWith("→ ") ? ["prompt", true] : ["", false];
  for (const piece of line.split(SEQUENCE)) {
    if (!piece.startsWith(ESCAPE)) {
      spans.push({ text: piece, className, isBold });
      continue;
    }
    const code = piece.slice(2, -1);
    if (code === "0" || code === "") {
      [className, isBold] = ["", false];
    } else if (code === "1") {
      isBold = true;
    } else {
      className = `c${code.split(";").at(-1)}`;
    }
  }
  return spans;
}

const spanText = ({ text, className, isBold }: Span): string =>
  `<tspan${className === "" ? "" : ` class="${className}"`}${isBold ? ' font-weight="600"' : ""}>${xml(text)}</tspan>`;

export function terminalPicture(lines: readonly string[], label: string): string {
  const rows = lines.flatMap(rowsOf);
  const height = rows.length * LINE + 36;
  return svg({
    width: WIDTH,
    height,
    label,
    style: STYLE,
    parts: [
      `<rect class="frame" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
      ...rows.map(
        (row, index) =>
          `<text class="line" x="${LEFT}" y="${30 + index * LINE}" font-size="${SIZE}">${row.map(spanText).join("")}</text>`,
      ),
    ],
  });
}
