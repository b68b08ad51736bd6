/** What one run of one contender gave: the rows of the table, in the units that the table names. */
export type Reading = Readonly<Record<string, number>>;

export interface Column {
  readonly name: string;
  /** One of each round. */
  readonly readings: readonly Reading[];
  /** Instead of those of the rows. */
  readonly unit?: string;
}

export interface Table {
  readonly title: string;
  /** The rows in their order, and the unit of each. */
  readonly units: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
}

export interface Contender<Name extends string> {
  readonly name: Name;
  run(): Promise<Reading>;
}

/** The contenders in turn, round after round, each time in another order: what else the machine does then hits all of them. */
export async function sideBySide<Name extends string>(
  rounds: number,
  contenders: readonly Contender<Name>[],
): Promise<Column[]> {
  const seen = new Map<string, Reading[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of rotated(contenders, round)) {
      seen.get(name)?.push(await run());
    }
  }
  return [...seen].map(([name, readings]) => ({ name, readings }));
}

export function rotated<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export const many = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `+1555${String(1_000_000 + index)}`);

/** How often each was run. */
export const caption = ({ title, columns }: Table): string =>
  `${title}, n = ${Math.max(...columns.map(({ readings }) => readings.length))}`;

/** The headings and the rows: medians, and in parentheses the least and the most where they differ. */
export function cellsOf({ units, columns }: Table): { readonly head: string[]; readonly body: string[][] } {
  return {
    head: ["", ...columns.map(({ name }) => name)],
    body: Object.entries(units).map(([row, unit]) => [row, ...columns.map((column) => cell(column, row, unit))]),
  };
}

/** For a terminal. */
export function aligned(table: Table): string {
  const { head, body } = cellsOf(table);
  const widths = head.map((_, index) => Math.max(...[head, ...body].map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((text, index) => text.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function cell({ readings, unit: own }: Column, row: string, ofRow: string): string {
  const unit = own ?? ofRow;
  const values = readings.flatMap((reading) => reading[row] ?? []);
  if (values.length === 0) {
    return "";
  }
  const [least, most] = [shown(Math.min(...values)), shown(Math.max(...values))];
  const range = least === most ? "" : ` (${least}–${most})`;
  return `${shown(median(values))}${unit === "" ? "" : ` ${unit}`}${range}`;
}

export function shown(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) {
    return Math.round(value).toLocaleString("en-US");
  }
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
