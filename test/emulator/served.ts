import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { emulatorCommand } from "../../cli/commands/emulator";

/** Returns a stream that collects a command's output, and a function that waits for a pattern in that output. */
export function capture() {
  let printed = "";
  const writes = new EventEmitter();
  return {
    stream: {
      write(text: string) {
        printed += text;
        writes.emit("text");
      },
    },
    text: () => printed,
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(printed);
        if (match !== null) {
          return match;
        }
        await once(writes, "text");
      }
    },
  };
}

/**
 * Runs the `emulator` command until `use` has finished, and returns everything that the command printed to stdout.
 * Asserts that it printed nothing to stderr.
 */
export async function serving(
  argv: string[],
  use: (url: string, printed: ReturnType<typeof capture>) => Promise<void>,
): Promise<string> {
  const [stdout, stderr] = [capture(), capture()];
  const controller = new AbortController();
  const ended = emulatorCommand.run(argv, { stdout: stdout.stream, stderr: stderr.stream, signal: controller.signal });
  const [, url = ""] = await stdout.until(/BASE_URL=(\S+)/);
  await use(url, stdout);
  controller.abort();
  assert.equal(await ended, 0);
  assert.equal(stderr.text(), "");
  await assert.rejects(fetch(url));
  return stdout.text();
}
