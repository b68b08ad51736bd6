import { spawn } from "node:child_process";

/**
 * Runs commands side by side, prints what each said once it has ended, and fails where one did:
 * `node -r ./tools/ts tools/abreast.ts "npm run style" "npm run types"`.
 */
function run(command: string): Promise<boolean> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  return new Promise((resolve) => {
    child.on("close", (exitCode) => {
      process.stdout.write(said);
      if (exitCode !== 0) {
        console.error(`failed: ${command}`);
      }
      resolve(exitCode === 0);
    });
  });
}

void Promise.all(process.argv.slice(2).map(run)).then((ended) => {
  process.exitCode = ended.every(Boolean) ? 0 : 1;
});
