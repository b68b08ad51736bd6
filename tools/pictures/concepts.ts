import { drawn, xml } from "./drawing";

/** Who talks to whom: the picture of docs/concepts.md, whose list explains its numbers. */

const WIDTH = 640;
const HEIGHT = 372;
const BOX = { width: 172, height: 104 } as const;
const COLUMNS = [12, 234, 456] as const;
const ROWS = [16, 252] as const;

interface Box {
  readonly column: 0 | 1 | 2;
  readonly row: 0 | 1;
  readonly title: string;
  readonly lines: readonly string[];
  readonly isOurs?: boolean;
}

const BOXES: readonly Box[] = [
  { column: 0, row: 0, title: "Program", lines: ["says which agents answer", "which phone number"] },
  { column: 1, row: 0, title: "Engine", lines: ["the Pulumi CLI: compares", "the program with the state"] },
  {
    column: 2,
    row: 0,
    title: "Provider",
    lines: ["this package: checks,", "sends and verifies"],
    isOurs: true,
  },
  { column: 0, row: 1, title: "Pull request", lines: ["shows the diff and the", "report to reviewers"] },
  { column: 1, row: 1, title: "State", lines: ["what was applied last,", "for each resource"] },
  { column: 2, row: 1, title: "Platform", lines: ["its AI agents answer", "your phone numbers"] },
];

interface Edge {
  readonly number: number;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** What stands beside the number, and where. */
  readonly text?: readonly string[];
  readonly textAt?: readonly [number, number];
  readonly isSent?: boolean;
  readonly isBoth?: boolean;
}

const [LEFT, MIDDLE, RIGHT] = COLUMNS;
const [TOP, BOTTOM] = ROWS;
const CENTRE = BOX.width / 2;
const HALF = TOP + BOX.height / 2;
const BELOW = TOP + BOX.height;

const EDGES: readonly Edge[] = [
  {
    number: 1,
    from: [LEFT + BOX.width, HALF],
    to: [MIDDLE, HALF],
  },
  {
    number: 2,
    from: [MIDDLE + BOX.width, HALF],
    to: [RIGHT, HALF],
    isBoth: true,
  },
  {
    number: 3,
    from: [MIDDLE + 24, BELOW],
    to: [LEFT + BOX.width - 24, BOTTOM],
    text: ["preview"],
    textAt: [143, 198],
  },
  {
    number: 4,
    from: [LEFT + 48, BOTTOM],
    to: [LEFT + 48, BELOW],
    text: ["merge"],
    textAt: [76, 191],
  },
  {
    number: 5,
    from: [RIGHT + CENTRE, BELOW],
    to: [RIGHT + CENTRE, BOTTOM],
    text: ["up: PUT,", "POST"],
    textAt: [RIGHT + CENTRE + 16, 182],
    isSent: true,
  },
  {
    number: 6,
    from: [MIDDLE + CENTRE + 20, BELOW],
    to: [MIDDLE + CENTRE + 20, BOTTOM],
    text: ["what was", "applied"],
    textAt: [MIDDLE + CENTRE + 36, 182],
    isBoth: true,
  },
];

function boxParts({ column, row, title, lines, isOurs = false }: Box): string[] {
  const [x, y] = [COLUMNS[column], ROWS[row]];
  const { width, height } = BOX;
  return [
    `<rect class="${isOurs ? "ours" : "box"}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    `<text x="${x + width / 2}" y="${y + 36}" font-size="18" font-weight="600" text-anchor="middle">${xml(title)}</text>`,
    ...lines.map(
      (line, index) =>
        `<text class="soft" x="${x + width / 2}" y="${y + 62 + index * 18}" font-size="13" text-anchor="middle">${xml(line)}</text>`,
    ),
  ];
}

function edgeParts({ number, from, to, text = [], textAt = [0, 0], isSent = false, isBoth = false }: Edge): string[] {
  const sent = isSent ? " sent" : "";
  const tip = isSent ? "tip-sent" : "tip";
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  return [
    `<path class="edge${sent}" d="M${from.join(" ")}L${to.join(" ")}" marker-end="url(#${tip})"${isBoth ? ` marker-start="url(#${tip})"` : ""}/>`,
    `<circle class="badge${sent}" cx="${x}" cy="${y}" r="11"/>`,
    `<text class="on" x="${x}" y="${y + 4.5}" font-size="13" font-weight="600" text-anchor="middle">${number}</text>`,
    ...text.map(
      (line, index) =>
        `<text class="soft" x="${textAt[0]}" y="${textAt[1] + index * 17}" font-size="13">${xml(line)}</text>`,
    ),
  ];
}

const marker = (id: string, className: string): string =>
  `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="${className}" d="M0 0L8 4L0 8Z"/></marker>`;

export const conceptsPicture = (): string =>
  drawn({
    width: WIDTH,
    height: HEIGHT,
    label:
      "The program goes to the engine, which compares it with the state and asks the provider. A preview ends in the pull request; after the merge the provider sends PUTs and POSTs to the platform, and the engine saves what was applied.",
    parts: [
      `<defs>${marker("tip", "tip")}${marker("tip-sent", "badge sent")}</defs>`,
      ...BOXES.flatMap(boxParts),
      ...EDGES.flatMap(edgeParts),
    ],
  });
