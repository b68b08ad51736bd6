import { GROUPS } from "../../cli/command";
import { COMMANDS } from "../../cli/main";
import { page } from "./markdown";

/** The commands, as their own help describes them. */

const commands = Object.values(COMMANDS).map((load) => load());

export function commandsPage(): string {
  return page(
    "# Commands",
    "Say `npx pulumi-agent-platform` where the package is installed, and in a clone of it. Where it is not, `npx` would look for a package of that name in the registry. `help <command>` prints what stands here.",
    ...GROUPS.flatMap((group) => [
      `## ${group}`,
      ...commands
        .filter((command) => command.group === group)
        .flatMap((command) => [`### ${command.name}`, `\`\`\`txt\n${command.help().trimEnd()}\n\`\`\``]),
    ]),
  );
}
