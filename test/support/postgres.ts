import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./freePort";

/** A PostgreSQL server of Debian's packages, for one test: in a folder of its own, on a free port of loopback. */
export interface Postgres {
  /** The backend's URL for Pulumi, of a new and empty database. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Waits for the disk, as a real server does. @default false: a test's database need not outlive a power cut */
  readonly isDurable?: boolean;
}

const run = promisify(execFile);
const packages = "/usr/lib/postgresql";

/** The folder of `postgres` and `initdb`: what is installed, or what root can install. Undefined if neither is to be had, with the reason said. */
export async function findPostgres(say: (line: string) => void = sayOnStderr): Promise<string | undefined> {
  const found = installed();
  if (found !== undefined) {
    return found;
  }
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    say(`No PostgreSQL in ${packages}, and only root on Debian could install it. Run: sudo apt-get install postgresql`);
    return undefined;
  }
  say("Installing PostgreSQL from Debian's packages; this takes about a minute.");
  try {
    // Else the package makes a cluster of its own and starts it.
    const cluster = "/etc/postgresql-common/createcluster.conf";
    if (!existsSync(cluster)) {
      execFileSync("mkdir", ["-p", "/etc/postgresql-common"]);
      writeFileSync(cluster, "create_main_cluster = false\n");
    }
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["update", "-q"], { env, timeout: 300_000 });
    await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "postgresql"], { env, timeout: 600_000 });
  } catch (error) {
    say(`PostgreSQL could not be installed: ${error instanceof Error ? error.message.slice(0, 500) : String(error)}`);
  }
  return installed();
}

const sayOnStderr = (line: string): void => void process.stderr.write(`${line}\n`);

function installed(): string | undefined {
  const versions = existsSync(packages) ? readdirSync(packages) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(packages, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

export async function startPostgres(binaries: string, { isDurable = false }: PostgresOptions = {}): Promise<Postgres> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-postgres-")));
  const owner = unprivileged();
  if (owner !== undefined) {
    chownSync(folder, owner.uid, owner.gid);
  }
  const data = join(folder, "data");
  const env = { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8" };
  const asOwner = { ...owner, env, cwd: folder };
  await run(join(binaries, "initdb"), ["-D", data, "-U", "pulumi", "-A", "trust", "-E", "UTF8", "-N"], asOwner);
  const port = await freePort();
  const settings = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`];
  const server = spawn(
    join(binaries, "postgres"),
    ["-D", data, "-p", String(port), ...settings, "-c", `fsync=${isDurable ? "on" : "off"}`],
    { ...asOwner, stdio: ["ignore", "ignore", "pipe"] },
  );
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  await ready(server, () => log);
  let databases = 0;
  return {
    async database() {
      databases += 1;
      const name = `state${databases}`;
      await run(join(binaries, "createdb"), ["-h", "127.0.0.1", "-p", String(port), "-U", "pulumi", name], { env });
      return `postgres://pulumi@127.0.0.1:${port}/${name}?sslmode=disable`;
    },
    async stop() {
      const ended = once(server, "exit");
      if (server.exitCode === null && server.kill("SIGINT")) {
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const idOf = (flag: string, user: string) => Number(execFileSync("id", [flag, user], { encoding: "utf8" }));
  for (const user of ["postgres", "nobody"]) {
    try {
      return { uid: idOf("-u", user), gid: idOf("-g", user) };
    } catch {
      // No such user here.
    }
  }
  throw new Error("neither a user postgres nor nobody: PostgreSQL does not run as root");
}

/** The server says when it takes connections. */
async function ready(server: ChildProcess, log: () => string): Promise<void> {
  const isReady = () => log().includes("database system is ready to accept connections");
  while (!isReady()) {
    if (server.exitCode !== null) {
      throw new Error(`PostgreSQL did not start:\n${log()}`);
    }
    await Promise.race([once(server.stderr ?? server, "data"), once(server, "exit")]);
  }
}
