import { probeCommand } from "../../cli/commands/probe/command";
import { type Emulator, startEmulator } from "../../emulator";
import { type Printed, runWith, type World } from "./terminal";

export const number = "+15550009999";
export const agents = ["--agent", "agent_a@1", "--agent", "agent_b@2", "--agent", "agent_c@3"];

export function probe(emulator: Emulator, argv: readonly string[], world: World = {}) {
  const env = { AGENT_PLATFORM_BASE_URL: emulator.url, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token };
  return runWith(probeCommand.run, argv, { env, ...world });
}

/** Everything given, as somebody does who knows the platform's account. */
export const whole = (emulator: Emulator) => [
  number,
  "--takes-no-calls",
  "--confirm",
  number,
  ...agents,
  ...["--workspace-id", "42", "--account-sid", emulator.account().accountSid],
];

export async function withEmulator(profile: string, test: (emulator: Emulator) => Promise<void>): Promise<void> {
  const emulator = await startEmulator({ profile });
  try {
    await test(emulator);
  } finally {
    await emulator.close();
  }
}

/** The table that was printed: question to what was seen. */
export const tableOf = ({ stdout }: Printed): Record<string, string> =>
  Object.fromEntries(
    stdout.split("\n").flatMap((line) => {
      const row = /^ {2}(\S.*?) {2,}(.+)$/.exec(line);
      return row === null ? [] : [[row[1], row[2]]];
    }),
  );

export const settingsOf = ({ stdout }: Printed): string[] =>
  [...stdout.matchAll(/^ {2}pulumi config set agent-platform:(.*)$/gm)].map(([, setting = ""]) => setting);

/** What the table says if the answers say nothing. */
export const notShown = "the responses do not say";
