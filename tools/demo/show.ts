/** The engine's output, shortened to what a reader of the demo looks for. Nothing is reworded. */

const TYPE = "pulumi-nodejs:dynamic/agent-platform:";

/** What was done, resource by resource: `+ NumberAssignment support created (0.31s)`, and the provider's own lines. */
export function stepsOf(output: string): string[] {
  const lines = output.split("\n");
  const steps = lines.filter((line) => line.includes(TYPE) && /\b(created|updated|replaced|deleted)\b/.test(line));
  const told = new Set(
    lines.map((line) => /(?:warning|error): AGP-\d+ .*$/.exec(line)?.[0]).filter((line) => line !== undefined),
  );
  return [...steps.map((line) => line.replace(TYPE, "").trimEnd()), ...[...told].map((line) => `    ${line}`)];
}

/** The resources of a `pulumi preview --diff`, without URNs and without the outputs of the stack. */
export function diffOf(output: string): string[] {
  const lines = output.split("\n");
  const start = lines.findIndex((line) => line.includes(TYPE));
  const end = lines.findIndex(
    (line, index) => index > start && (line.trim() === "--outputs:--" || line === "Resources:"),
  );
  return lines
    .slice(Math.max(start, 0), end < 0 ? undefined : end)
    .filter((line) => line.trim() !== "" && !/^\s+\[(urn|provider)[=:]/.test(line))
    .map((line) => line.replace(TYPE, "").replace(/^ {4}/, "").trimEnd());
}

/** The counts that the engine prints at the end of an update: `+ 3 created`, `3 unchanged`. */
export function countsOf(output: string): string {
  const lines = output.split("\n");
  const start = lines.lastIndexOf("Resources:");
  const rest = lines.slice(start + 1).map((line) => line.trim());
  return start < 0 ? "" : rest.slice(0, rest.indexOf("")).join(", ");
}

const WIDTH = 40;

const bar = (share: number): string => {
  const filled = Math.round((share / 100) * WIDTH);
  return "█".repeat(filled) + "░".repeat(WIDTH - filled);
};

/** Declared and observed shares as bars, one above the other. */
export function bars(declared: Readonly<Record<string, number>>, observed: Readonly<Record<string, number>>): string[] {
  const [weights, calls] = [sum(declared), sum(observed)];
  const longest = Math.max(...Object.keys(declared).map((agent) => agent.length));
  return Object.entries(declared).flatMap(([agent, weight]) => {
    const count = observed[agent] ?? 0;
    const line = (name: string, what: string, share: number) =>
      `${name.padEnd(longest)}  ${what} ${bar(share)} ${share.toFixed(1).padStart(5)} %`;
    return [
      line(agent, "declared", (weight / weights) * 100),
      `${line("", "observed", (count / calls) * 100)}  ${count} calls`,
    ];
  });
}

/** By how many percentage points the observed shares miss the declared ones, at most. */
export function farthest(
  declared: Readonly<Record<string, number>>,
  observed: Readonly<Record<string, number>>,
): number {
  const [weights, calls] = [sum(declared), sum(observed)];
  const misses = Object.entries(declared).map(
    ([agent, weight]) => (weight / weights - (observed[agent] ?? 0) / calls) * 100,
  );
  return Math.max(...misses.map(Math.abs));
}

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((all, one) => all + one, 0);
