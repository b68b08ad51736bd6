import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtPackage } from "./built";
import { repository } from "./repository";
import { inJavaScript } from "./transpiled";

type ConfigValue = string | number | boolean | { readonly secret: string } | { readonly [key: string]: unknown };
export type Config = Readonly<Record<string, ConfigValue | undefined>>;

/** Where one stack of one test lives. Nothing of it is shared, so tests may run beside each other. */
export interface Project {
  readonly root: string;
  /** The folder with Pulumi.yaml. */
  readonly directory: string;
  readonly name: string;
  readonly stackName: string;
  readonly stateFile: string;
  readonly configFile: string;
  readonly env: Readonly<Record<string, string>>;
}

/** For the engine's environment. Its processes are short, so they start faster if they collect less garbage. */
export const quickStart = { GOGC: "400" };

/** For the environment of providers: how often they send one operation. */
export const attemptsAre = (attempts: number) => ({
  NODE_OPTIONS: `--require=${join(__dirname, "attempts.js")}`,
  TEST_ATTEMPTS: `${attempts}`,
});

const stackName = "dev";
/**
 * The salt that `pulumi stack init` writes for the empty passphrase. With a fixed one a stack needs no `stack init`
 * and a secret no `config set`: each of the two costs as much time as half an `up`.
 */
const encryptionSalt = "v1:AtYord5EoWc=:v1:EwqMCs30rHRc51ov:AejG1uYB2zrOJPxBgl9BQxXRUGliHQ==";

/**
 * Instead of `typescript: false` in Pulumi.yaml, which the language host that Go builds is too old to read: without
 * ts-node, which a plain program does not need, an `up` is a tenth faster.
 */
const runProgram = `process.env.PULUMI_NODEJS_TYPESCRIPT = "false";\nrequire("@pulumi/pulumi/cmd/run");\n`;

export interface ProjectOptions {
  readonly projectName?: string;
  readonly existing?: string;
  /** A `node_modules` with the package and another SDK. */
  readonly packages?: string | undefined;
}

/** `existing`: a project folder that is there already, such as an example; nothing is written into it. */
export function newProject(options: ProjectOptions): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-stack-")));
  const directory = options.existing ?? join(root, "project");
  const name = options.existing ? nameIn(options.existing) : (options.projectName ?? "test");
  const state = join(root, "state", ".pulumi");
  const project: Project = {
    root,
    directory,
    name,
    stackName,
    stateFile: join(state, "stacks", name, `${stackName}.json`),
    configFile: join(root, `Pulumi.${stackName}.yaml`),
    env: {
      PULUMI_HOME: join(root, "home"),
      PULUMI_BACKEND_URL: `file://${join(root, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      ...(!options.existing && { PULUMI_LANGUAGE_NODEJS_RUN_PATH: join(root, "runProgram.js") }),
    },
  };
  mkdirSync(join(state, "stacks", name), { recursive: true });
  writeFileSync(join(state, "meta.yaml"), "version: 1\n");
  writeFileSync(
    project.stateFile,
    JSON.stringify({ version: 3, checkpoint: { stack: `organization/${name}/${stackName}`, latest: null } }),
  );
  if (!options.existing) {
    layOut(project, options.packages);
  }
  return project;
}

/** The next version of the program. */
export const writeProgram = ({ directory }: Project, program: string): void =>
  writeFileSync(join(directory, "index.js"), inJavaScript(program));

export function writeConfig(project: Project, config: Config): void {
  const entries = Object.entries(config).filter(([, value]) => value !== undefined);
  const written = Object.fromEntries(entries.map(([key, value]) => [key, isSecret(value) ? secure(value) : value]));
  // JSON is YAML, and nothing in it needs an escape of its own.
  writeFileSync(project.configFile, JSON.stringify({ encryptionsalt: encryptionSalt, config: written }, null, 2));
}

/**
 * The packages are above the project folder, and Node finds them there as well: the language host walks through every
 * file below the project at each run.
 */
function layOut({ root, directory, name, configFile }: Project, packages: string | undefined): void {
  mkdirSync(directory);
  writeFileSync(join(directory, "Pulumi.yaml"), JSON.stringify({ name, runtime: "nodejs" }));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name, private: true, main: "index.js" }));
  writeFileSync(join(root, "runProgram.js"), runProgram);
  // Commands of the package have no option for a file elsewhere.
  symlinkSync(configFile, join(directory, `Pulumi.${stackName}.yaml`));
  if (packages !== undefined) {
    symlinkSync(packages, join(root, "node_modules"), "dir");
    return;
  }
  mkdirSync(join(root, "node_modules"));
  symlinkSync(builtPackage, join(root, "node_modules", "pulumi-agent-platform"), "dir");
  symlinkSync(join(repository, "node_modules", "@pulumi"), join(root, "node_modules", "@pulumi"), "dir");
}

function nameIn(directory: string): string {
  const file = join(directory, "Pulumi.yaml");
  const name = existsSync(file) && /^name:\s*["']?([\w.-]+)/m.exec(readFileSync(file, "utf8"))?.[1];
  if (!name) {
    throw new Error(`no project name in ${file}`);
  }
  return name;
}

function isSecret(value: ConfigValue | undefined): value is { secret: string } {
  return typeof value === "object" && typeof value.secret === "string";
}

let key: Buffer | undefined;

/** What `pulumi config set --secret` writes. */
function secure({ secret }: { readonly secret: string }): { secure: string } {
  key ??= pbkdf2Sync("", Buffer.from(encryptionSalt.split(":")[1] ?? "", "base64"), 1_000_000, 32, "sha256");
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { secure: `v1:${nonce.toString("base64")}:${text.toString("base64")}` };
}
