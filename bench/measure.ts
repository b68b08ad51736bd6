/** What a benchmark hands back: rows of a table, each a figure with its unit. */
export interface Figure {
  readonly part: string;
  readonly what: string;
  readonly size: number;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with, in the same run. */
  readonly ratio?: { readonly to: string; readonly value: number };
}

export function median(values: readonly number[]): number {
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

/**
 * The contenders in turn, round after round, each time in another order: what else the machine does then hits all of them.
 * Medians, and of the ratios of each round the median too.
 */
export async function sideBySide<Name extends string>(
  rounds: number,
  names: readonly Name[],
  run: (name: Name) => Promise<Readonly<Record<string, number>>>,
): Promise<{ of(name: Name, what: string): number; ratio(what: string, name: Name, to: Name): number }> {
  const seen: Record<string, number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const figures: Record<string, number> = {};
    const order = names.map((_, index) => names[(index + round) % names.length] as Name);
    for (const name of order) {
      for (const [what, value] of Object.entries(await run(name))) {
        figures[`${name} ${what}`] = value;
      }
    }
    seen.push(figures);
  }
  return {
    of: (name, what) => median(seen.map((figures) => figures[`${name} ${what}`] ?? Number.NaN)),
    ratio: (what, name, to) =>
      median(seen.map((figures) => (figures[`${name} ${what}`] ?? 0) / (figures[`${to} ${what}`] ?? Number.NaN))),
  };
}

export const many = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `+1555${String(1_000_000 + index)}`);

function shown(value: number): string {
  if (value >= 100) {
    return String(Math.round(value));
  }
  return value.toFixed(value >= 10 ? 1 : 2);
}

export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ part, what, size, value, unit, ratio }) => [
    part,
    what,
    size === 0 ? "" : String(size),
    `${shown(value)} ${unit}`,
    ratio === undefined ? "" : `${ratio.value.toFixed(2)} × ${ratio.to}`,
  ]);
  const all = [["part", "what", "N", "median", "ratio"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
