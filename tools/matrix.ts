import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { startEmulator } from "../emulator";
import { endWith, findOrInstallEngine } from "./engine/engine";

/**
 * Installs the packed package beside each SDK, and runs one `up` of each kind of program with each version of Node.
 * By hand, before a release: `node -r tsx/cjs tools/matrix.ts`. It takes some minutes.
 */

const NODES = ["20", "22", "24"];
const SDKS = ["3.200.0", "latest"];
const NUMBER = "+15551234567";

interface Kind {
  readonly name: string;
  readonly file: string;
  readonly program: string;
  readonly isModule?: true;
}

const body = `new NumberAssignment("support", {
  number: "${NUMBER}",
  rollout: { stable: "agent_front@12", candidate: "agent_front@13", percent: 30 },
});
`;
const imported = `import { NumberAssignment } from "pulumi-agent-platform";\n${body}`;

const KINDS: readonly Kind[] = [
  { name: "TypeScript", file: "index.ts", program: `${imported}export const node: string = process.version;\n` },
  {
    name: "JavaScript",
    file: "index.js",
    program: `const { NumberAssignment } = require("pulumi-agent-platform");\n${body}exports.node = process.version;\n`,
  },
  {
    name: "ES module",
    file: "index.mjs",
    program: `${imported}export const node = process.version;\n`,
    isModule: true,
  },
];

const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), "agent-platform-matrix-"));

async function npm(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run("npm", args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

function folderOf(...names: string[]): string {
  const folder = join(root, ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function install(folder: string, ...packages: string[]): Promise<void> {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "matrix", private: true }));
  await npm(folder, "install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages);
}

/** The npm registry has Node's own executables, one package a platform. */
async function installNode(version: string): Promise<string> {
  const folder = folderOf(`node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  await install(folder, `${name}@${version}`);
  return join(folder, "node_modules", name, "bin");
}

/** The package beside an SDK, with the types of the oldest supported Node. */
async function installSdk(version: string, tarball: string): Promise<{ folder: string; version: string }> {
  const folder = folderOf(`sdk-${version}`);
  await install(folder, `@pulumi/pulumi@${version}`, tarball, "typescript@5", "@types/node@20");
  const { version: found } = require(join(folder, "node_modules/@pulumi/pulumi/package.json")) as { version: string };
  return { folder, version: found };
}

interface Cell {
  readonly nodeBin: string;
  readonly sdk: string;
  readonly kind: Kind;
}

/** Runs one `up` against an emulator of its own, and looks at what the platform has then. */
async function runCell({ nodeBin, sdk, kind }: Cell): Promise<string> {
  const engine = await findOrInstallEngine();
  const emulator = await startEmulator();
  const home = mkdtempSync(join(root, "cell-"));
  const project = join(home, "project");
  try {
    layOut(project, sdk, kind);
    const options = {
      cwd: project,
      timeout: 300_000,
      env: {
        HOME: home,
        PATH: [nodeBin, engine.directory, process.env.PATH].join(delimiter),
        PULUMI_HOME: join(home, "pulumi"),
        PULUMI_BACKEND_URL: `file://${home}`,
        PULUMI_CONFIG_PASSPHRASE: "",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        AGENT_PLATFORM_BASE_URL: emulator.url,
        AGENT_PLATFORM_ACCESS_TOKEN: emulator.token,
      },
    };
    const pulumi = join(engine.directory, "pulumi");
    await run(pulumi, ["stack", "init", "matrix", "--non-interactive"], options);
    await run(pulumi, ["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "matrix"], options);
    const { stdout } = await run(pulumi, ["stack", "output", "node", "--stack", "matrix"], options);
    const split = JSON.stringify(emulator.routing(NUMBER)?.inboundAgents);
    const isRight = emulator.requests.length === 1 && split === '{"agent_front@12":70,"agent_front@13":30}';
    return isRight ? `ok (${stdout.trim()})` : `WRONG: ${emulator.requests.length} requests, ${split}`;
  } catch (error) {
    writeFileSync(`${home}.log`, String((error as { stdout?: unknown }).stdout ?? "") + String(error));
    return `FAILED, see ${home}.log`;
  } finally {
    await emulator.close();
  }
}

function layOut(project: string, sdk: string, kind: Kind): void {
  mkdirSync(project);
  symlinkSync(join(sdk, "node_modules"), join(project, "node_modules"), "dir");
  const module = kind.isModule ? { type: "module" } : {};
  // Both are named, because SDK 3.200.0 has another default for `moduleResolution`.
  const modules = { module: "nodenext", moduleResolution: "nodenext" };
  const compilerOptions = { ...modules, target: "es2022", strict: true, types: ["node"], skipLibCheck: true };
  const files = {
    "Pulumi.yaml": JSON.stringify({ name: "matrix", runtime: "nodejs" }),
    "package.json": JSON.stringify({ name: "matrix", main: kind.file, ...module }),
    [kind.file]: kind.program,
    ...(kind.file.endsWith(".ts") && { "tsconfig.json": JSON.stringify({ compilerOptions }) }),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(project, name), text);
  }
}

async function main(): Promise<number> {
  await npm(resolve(__dirname, ".."), "pack", "--pack-destination", root);
  const tarball = join(root, readdirSync(root).find((name) => name.endsWith(".tgz")) ?? "");
  console.log(
    `| Node | SDK | ${KINDS.map(({ name }) => name).join(" | ")} |\n| --- | --- | ${KINDS.map(() => "---").join(" | ")} |`,
  );
  let failed = 0;
  for (const wanted of SDKS) {
    const sdk = await installSdk(wanted, tarball);
    for (const node of NODES) {
      const nodeBin = await installNode(node);
      const results: string[] = [];
      for (const kind of KINDS) {
        results.push(await runCell({ nodeBin, sdk: sdk.folder, kind }));
      }
      failed += results.filter((result) => !result.startsWith("ok")).length;
      console.log(`| ${node} | ${sdk.version} | ${results.join(" | ")} |`);
    }
  }
  if (failed === 0) {
    rmSync(root, { recursive: true, force: true });
  }
  return failed === 0 ? 0 : 1;
}

endWith(main());
