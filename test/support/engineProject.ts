import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtPackage } from "./built";
import { repository } from "./repository";
import { inJavaScript } from "./transpiled";

type ConfigValue = string | number | boolean | { readonly secret: string } | { readonly [key: string]: unknown };
export type Config = Readonly<Record<string, ConfigValue | undefined>>;

/** The files of one test's stack. Stacks share none of these files, so tests can run in parallel. */
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

/**
 * Environment variables for the engine. Its processes are short-lived, so they run faster with less garbage collection.
 */
export const quickStart = { GOGC: "400" };

/** Returns environment variables that limit the provider's attempts per operation. */
export const attemptsAre = (attempts: number) => ({
  NODE_OPTIONS: `--require=${join(__dirname, "attempts.js")}`,
  TEST_ATTEMPTS: `${attempts}`,
});

const stackName = "dev";
/**
 * A salt that `pulumi stack init` wrote for the empty passphrase. It lets tests write stacks and secrets without the
 * slow CLI.
 */
const encryptionSalt = "v1:AtYord5EoWc=:v1:EwqMCs30rHRc51ov:AejG1uYB2zrOJPxBgl9BQxXRUGliHQ==";

/**
 * Runs the program without ts-node, so an `up` is 10% faster. The language host that we build is too old for
 * `typescript: false` in Pulumi.yaml.
 */
const runProgram = `process.env.PULUMI_NODEJS_TYPESCRIPT = "false";\nrequire("@pulumi/pulumi/cmd/run");\n`;

export interface ProjectOptions {
  readonly projectName?: string;
  /** An existing project folder, such as an example. Nothing is written into it. */
  readonly existing?: string;
  /** A `node_modules` folder with this package and a different version of the Pulumi SDK. */
  readonly packages?: string | undefined;
}

/** Creates the files of a new stack with an empty state. */
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

export const writeProgram = ({ directory }: Project, program: string): void =>
  writeFileSync(join(directory, "index.js"), inJavaScript(program));

export function writeConfig(project: Project, config: Config): void {
  const entries = Object.entries(config).filter(([, value]) => value !== undefined);
  const written = Object.fromEntries(entries.map(([key, value]) => [key, isSecret(value) ? secure(value) : value]));
  // Write JSON, which is valid YAML, so that no value needs special escaping.
  writeFileSync(project.configFile, JSON.stringify({ encryptionsalt: encryptionSalt, config: written }, null, 2));
}

/**
 * Writes the project's files. `node_modules` is in the parent folder, because the language host scans every file in the
 * project's folder on each run.
 */
function layOut({ root, directory, name, configFile }: Project, packages: string | undefined): void {
  mkdirSync(directory);
  writeFileSync(join(directory, "Pulumi.yaml"), JSON.stringify({ name, runtime: "nodejs" }));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name, private: true, main: "index.js" }));
  writeFileSync(join(root, "runProgram.js"), runProgram);
  // This package's commands, unlike Pulumi's, have no option for a config file in another folder, so link it here.
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

/** Encrypts a secret as `pulumi config set --secret` does. */
function secure({ secret }: { readonly secret: string }): { secure: string } {
  key ??= pbkdf2Sync("", Buffer.from(encryptionSalt.split(":")[1] ?? "", "base64"), 1_000_000, 32, "sha256");
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const encrypted = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { secure: `v1:${nonce.toString("base64")}:${encrypted.toString("base64")}` };
}
