import { GROUPS as COMMAND_GROUPS } from "../../cli/command";
import { COMMANDS } from "../../cli/main";
import { CODES, type Code, type CodeText, remedyOf } from "../../provider/core/common/codes";
import { BYPASS_ENV, SETTINGS, type SettingRow } from "../../provider/core/config/settings";
import { type Declaration, need } from "./declarations";
import { code, linked, page, table } from "./markdown";
import { memberTable } from "./resourcePages";

/** The pages beside those of the resources: the helpers, the commands, the settings and the error codes. */

const defaultOf = (row: SettingRow | undefined): string =>
  row?.default === undefined ? "none" : code(String(row.default));

const HELPERS_EXAMPLE = [
  "```ts",
  'import { NumberAssignment, split } from "pulumi-agent-platform";',
  "",
  'new NumberAssignment("day-and-night", { number: "+15551234568", inboundAgents: split({ agent_day: 2, agent_night: 1 }) });',
  "```",
].join("\n");

export function helpersPage(): string {
  return page(
    "# Helpers",
    'Write an agent as `"agent_front@12"`, or as `"agent_front"` without a version. A mistake throws in the program, at its line. A new version of an agent that gets its calls step by step needs no helper: write the argument `rollout`.',
    ...functionParts(need("split")),
    HELPERS_EXAMPLE,
  );
}

const functionParts = ({ name, doc, members }: Declaration): string[] => [
  `## ${name}(${members.map((member) => member.name).join(", ")})`,
  doc.text,
  memberTable("Parameter", members, { Meaning: (member) => doc.params[member.name] ?? "" }),
  `Returns ${doc.tags.returns ?? ""}.`,
];

/** The commands, as their own help describes them. */
export function commandsPage(): string {
  const commands = Object.values(COMMANDS).map((load) => load());
  return page(
    "# Commands",
    "Run `npx pulumi-agent-platform` in a project that has the package, or in a clone. Anywhere else, `npx` would look for a package of that name in the registry. `help <command>` prints the same text as this page.",
    ...COMMAND_GROUPS.flatMap((group) => [
      `## ${group}`,
      ...commands
        .filter((command) => command.group === group)
        .flatMap((command) => [`### ${command.name}`, `\`\`\`txt\n${command.help().trimEnd()}\n\`\`\``]),
    ]),
  );
}

const settingRows = (): string[][] =>
  Object.entries<SettingRow>(SETTINGS).map(([key, row]) => [
    code(key),
    code(row.env ?? ""),
    defaultOf(row),
    row.secret === true ? "yes" : "",
    row.meaning,
  ]);

export function settingsPage(): string {
  return page(
    "# Settings",
    "A stack's settings have the namespace `agent-platform`. Only `baseUrl` is required.",
    "```sh\npulumi config set agent-platform:baseUrl https://platform.example.com\npulumi config set --secret agent-platform:accessToken\n```",
    table(["Key", "Environment", "Default", "Secret", "Meaning"], settingRows()),
    [
      "- The environment's token wins over the token in the stack's config. `refresh` and `destroy` may know only an older value of the latter.",
      "- The environment's base URL is used only if the config has none. If both are set and differ, the run stops (AGP-012).",
      "- Every other environment variable wins over the config.",
      "- A preview sends nothing and needs no token.",
      "- An argument of a resource wins over the stack's `workspaceId` and `accountSid`.",
      "- A stack has one account. A program with an explicit provider is refused (AGP-001): a second account is a second stack.",
      "- A program may lower the stack's `maxShift`. Its `weightTotal` must equal the stack's.",
      "- `pulumi config set maxShift 20` sets a key of your project, not of `agent-platform`. A TypeScript program warns if such a key has the name of a guard (AGP-015); in other languages nothing reads it, and nothing says so.",
      "- In the stack's config, write numbers, `true`, `false` and lists as JSON: `'[\"agent_front@12\"]'`.",
      "- `approvedAgents` may name a file, relative to the program's folder: one agent on each line, plain or as a YAML list. `#` starts a comment.",
      `- \`${BYPASS_ENV}="<reason>"\` bypasses the guards for one run. The reason is printed (AGP-068). [How guards work](../guides/guards.md).`,
    ].join("\n"),
    "## Proxies and certificates",
    [
      "- Requests go through the proxy that `HTTPS_PROXY` names, or else `ALL_PROXY`: `http://host:port` or `https://host:port`. Lower case (`https_proxy`) comes before upper case.",
      "- Write a user name and a password into the address: `http://user:password@host:port`. Encode special characters: `@` is `%40`, `%` is `%25`. They are sent only to the proxy (Basic), and are in no message, log or state.",
      "- `NO_PROXY` lists the hosts that are reached directly: `host`, `.domain` for everything below it, `host:port`, or `*`. Loopback is always reached directly.",
      "- Pulumi's own SDK also reads `https_proxy`, `http_proxy` and `grpc_proxy`, in lower case, and reaches even its engine on this machine through the proxy. The run then hangs, or ends with `14 UNAVAILABLE: No connection established`. Add `127.0.0.1` to `no_proxy` (lower case; `localhost` is not enough). The plugin for YAML, Python and Go needs no such setting.",
      "- The variables do not change which base URLs are accepted.",
      "- Set `NODE_EXTRA_CA_CERTS` to the path of a PEM file if your company signs certificates with its own authority. Node reads it when a process starts, so set it in the environment of `pulumi`. Certificates are always verified: `NODE_TLS_REJECT_UNAUTHORIZED` has no effect.",
      "- If the address of a proxy is invalid, the run stops (AGP-016). If a proxy opens no connection to the platform, the message names its status (AGP-038). In both cases nothing was sent.",
    ].join("\n"),
  );
}

/** When a code is seen: its first digits say so. */
const GROUPS: readonly { readonly first: number; readonly title: string; readonly when: string }[] = [
  { first: 1, title: "Arguments", when: "At preview. Nothing is sent." },
  { first: 10, title: "Settings", when: "In every run, until the setting is fixed. Nothing is sent." },
  {
    first: 20,
    title: "Guards",
    when: "At preview, before anything is sent. [How guards work](../guides/guards.md).",
  },
  { first: 30, title: "Refused, or not sent", when: "During `up` or `destroy`. The platform has not changed." },
  {
    first: 40,
    title: "Unknown outcome",
    when: "The request was sent and no usable response arrived. The provider cannot tell whether it was applied.",
  },
  {
    first: 50,
    title: "The response",
    when: "The platform accepted the request, but its response differs from the request.",
  },
  { first: 60, title: "Warnings", when: "Nothing is blocked. AGP-060 is an error if it concerns a delete." },
  { first: 70, title: "Groups and moves", when: "During `up`. AGP-072 and AGP-077 are warnings of the preview." },
  { first: 80, title: "State", when: "In every run, until the state is fixed." },
];

export const groupOf = (key: Code): string | undefined =>
  GROUPS.findLast(({ first }) => Number(key.slice("AGP-".length)) >= first)?.title;

const meaningOf = ({ title, meaning }: CodeText): string => (meaning === undefined ? title : `${title}: ${meaning}`);

export function errorsPage(): string {
  const rows = Object.entries(CODES) as [Code, CodeText][];
  return page(
    "# Error codes",
    "Every message begins with its code. Codes keep their meaning; the wording of a message may change.",
    ...GROUPS.flatMap(({ title, when }) => [
      `## ${title}`,
      when,
      table(
        ["Code", "What it means", "What to do"],
        rows
          .filter(([key]) => groupOf(key) === title)
          .map(([key, text]) => [`<a id="${key.toLowerCase()}"></a>${key}`, meaningOf(text), linked(remedyOf(key))]),
      ),
    ]),
  );
}
