import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { marked } from "marked";
import { boardCommand } from "../cli/commands/board";
import { reportCommand } from "../cli/commands/report";
import { processIo } from "../cli/io";
import { type Emulator, startEmulator } from "../emulator";
import { ensureBuilt } from "./build";
import { type Tab, withChromium } from "./chromium";
import { runChild } from "./engine/child";
import { endWith, findOrInstallEngine, pathWith } from "./engine/engine";
import { createScratch, type Scratch } from "./scratch";

/**
 * `npm run screenshots` takes the docs' pictures of the board and of a pull request comment. Run it again if the
 * commands' output changes.
 */

const STACK = "prod";
/** The number that the platform refuses once. */
const REFUSED = "+442079460108";
/** The pictures show the board as if this much time had passed since the run. */
const LATER_MS = 26 * 3_600_000;
const FOLDER = resolve(__dirname, "../docs/pictures");
/** Wide enough for the board's columns, and as wide as a comment on GitHub. */
const WIDTHS = { board: 1080, report: 860 } as const;

const CITIES = ["London", "Leeds", "Bristol", "Glasgow", "Cardiff", "Belfast", "York", "Oxford"];
const DESKS = Object.fromEntries(
  CITIES.map((city, index) => [`+4420794601${String(index + 1).padStart(2, "0")}`, city]),
);

const PROGRAM = `const { NumberAssignment, NumberGroup } = require("pulumi-agent-platform");
new NumberGroup("desks", { numbers: ${JSON.stringify(DESKS)}, rollout: "front", outboundAgentId: "agent_callback" });
new NumberAssignment("hotline", { number: "+442079460200", inboundAgents: { "agent_night@4": 100 } });
new NumberAssignment("billing", { number: "+442079460300", inboundAgents: { "agent_billing@7": 100 } });
`;

const config = (baseUrl: string, percent: number): string => `config:
  agent-platform:baseUrl: ${baseUrl}
  agent-platform:workspaceId: 42
  agent-platform:steps: [10, 50, 100]
  agent-platform:maxShift: 50
  agent-platform:rollouts:
    front: { stable: agent_front@12, candidate: agent_front@13, percent: ${percent} }
`;

/**
 * Takes the pictures. The board shows a rollout at 10% that failed for one number, and the comment shows the step to
 * 50%.
 */
async function picturesOf({ cwd, env }: Scratch, emulator: Emulator): Promise<void> {
  const stackFile = join(cwd, `Pulumi.${STACK}.yaml`);
  const { signal } = new AbortController();
  const io = { ...processIo(), cwd, env, now: () => new Date(Date.now() + LATER_MS) };
  async function pulumi(...args: string[]): Promise<string> {
    const printed: string[] = [];
    const onOutput = (text: string) => void printed.push(text);
    await runChild("pulumi", [...args, "--non-interactive", "--color", "never"], { cwd, env, signal, onOutput });
    return printed.join("");
  }
  const up = () => pulumi("up", "--yes", "--skip-preview");

  await pulumi("stack", "init", STACK);
  await up();
  writeFileSync(stackFile, config(emulator.url, 10));
  emulator.inject({ kind: "status", status: 422, number: REFUSED, body: { error: "version 13 is not released here" } });
  await up();
  const board = join(cwd, "board.html");
  await boardCommand.run(["--stack", STACK, "--output", board], io);

  await up();
  writeFileSync(stackFile, config(emulator.url, 50));
  const [preview, report, comment] = ["preview.json", "report.md", "report.html"].map((name) => join(cwd, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(preview, await pulumi("preview", "--json"));
  await reportCommand.run([preview, "--fail-on", "delete,replace,sms", "--output", report], io);
  writeFileSync(comment, commentPage(await marked.parse(readFileSync(report, "utf8"))));

  mkdirSync(FOLDER, { recursive: true });
  await withChromium(async (tab) => {
    await photograph(tab, "board", board);
    await photograph(tab, "report", comment);
  });
}

/** Takes a picture of the whole page in both color schemes, at a higher resolution so that it stays sharp. */
async function photograph(tab: Tab, name: keyof typeof WIDTHS, file: string): Promise<void> {
  for (const scheme of ["light", "dark"]) {
    const width = WIDTHS[name];
    await tab.send("Emulation.setDeviceMetricsOverride", { width, height: 400, deviceScaleFactor: 1.5, mobile: false });
    await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await tab.open(pathToFileURL(file).href);
    const height = await tab.evaluate<number>("document.body.scrollHeight");
    const clip = { x: 0, y: 0, width, height, scale: 1 };
    const { data } = await tab.send("Page.captureScreenshot", { format: "png", clip, captureBeyondViewport: true });
    writeFileSync(join(FOLDER, `${name}-${scheme}.png`), Buffer.from(String(data), "base64"));
    console.log(`docs/pictures/${name}-${scheme}.png`);
  }
}

/** A comment styled like GitHub's. */
const commentPage = (body: string): string => `<!doctype html><meta charset="utf-8"/><style>
:root { color-scheme: light dark; --ink: #1f2328; --line: #d0d7de; --paper: #ffffff; --head: #f6f8fa; --code: #eff1f3; --soft: #59636e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --line: #3d444d; --paper: #0d1117; --head: #151b23; --code: #2b3139; --soft: #9198a1; } }
body { margin: 0; padding: 20px; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
article { border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
header { background: var(--head); border-bottom: 1px solid var(--line); color: var(--soft); padding: 8px 16px; }
section { padding: 4px 16px 12px; }
h3 { font-size: 17px; } h4 { font-size: 14px; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: 6px 13px; text-align: left; }
code { background: var(--code); border-radius: 6px; padding: 2px 5px; font: 12px ui-monospace, Menlo, Consolas, monospace; }
</style><article><header><b>deploy-bot</b> commented</header><section>${body}</section></article>`;

async function screenshots(): Promise<number> {
  ensureBuilt();
  const engine = await findOrInstallEngine();
  const emulator = await startEmulator();
  const scratch = createScratch({
    name: "phones",
    program: PROGRAM,
    stackFile: { name: STACK, text: config(emulator.url, 0) },
    env: { PATH: pathWith(engine, process.env.PATH), AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  });
  try {
    await picturesOf(scratch, emulator);
    return 0;
  } finally {
    await emulator.close();
    scratch.remove();
  }
}

endWith(screenshots());
