const WIDTH = 20;

/** Who answered how many calls, one line an agent. */
export function barLines(counts: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  const all = entries.reduce((sum, [, count]) => sum + count, 0);
  const width = Math.max(0, ...entries.map(([agent]) => agent.length));
  return entries.map(([agent, count]) => {
    const filled = Math.round((count / Math.max(1, all)) * WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    return `${agent.padEnd(width)}  ${bar}  ${thousands(count).padStart(thousands(all).length)}`;
  });
}

/** The same on every machine, whatever its language. */
export const thousands = (count: number): string => count.toLocaleString("en-US");
