import { CODES, type Code, type CodeText } from "../../provider/core/codes";
import { BYPASS_ENV, type Row, SETTINGS } from "../../provider/core/settings";
import { code, linked, page, table } from "./markdown";

/** The pages that are made of the tables of the core: settings and error codes. */

const settings = Object.entries(SETTINGS) as [string, Row][];

const settingRows = (): string[][] =>
  settings.map(([key, row]) => [
    code(key),
    row.env === undefined ? "" : code(row.env),
    row.default === undefined ? "none" : code(String(row.default)),
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
      "- The environment's token wins over the token in the stack's config. `refresh` and `destroy` may know only an older version of that one.",
      "- The environment's base URL is used only if the config has none. If both are set and differ, the run stops (AGP-012).",
      "- Every other environment variable wins over the config.",
      "- A preview sends nothing and needs no token.",
      "- An explicit provider ([AgentPlatform](agent-platform.md)) uses what it is given and reads nothing else from the environment.",
      "- A program may lower the stack's `maxShift`. Its `weightTotal` has to be equal to the stack's.",
      "- In the stack's config, write numbers, `true`, `false` and lists as JSON: `'[\"agent_front@12\"]'`.",
      "- `approvedAgents` may name a file, relative to the program's folder: one agent on each line, plain or as a YAML list. `#` starts a comment.",
      `- \`${BYPASS_ENV}="<reason>"\` bypasses the guards for one run. The reason is printed (AGP-068). [How guards work](../guides/guards.md).`,
    ].join("\n"),
    "## Proxies and certificates",
    [
      "- Requests go through the proxy that `HTTPS_PROXY` names, or else `ALL_PROXY`: `http://host:port` or `https://host:port`. Upper case comes before lower case (`https_proxy`).",
      "- Write a user name and a password into the address: `http://user:password@host:port`. Encode special characters: `@` is `%40`, `%` is `%25`. They are sent to the proxy alone (Basic), and are in no message, log or state.",
      "- `NO_PROXY` lists what is reached directly: hosts (with everything below them), `host:port`, networks such as `10.0.0.0/8`, or `*`. Loopback is always reached directly.",
      "- `HTTP_PROXY` is for http, which is accepted on loopback only. It has no effect.",
      "- The variables hold for every provider, explicit ones too. They do not change which base URLs are accepted.",
      "- Set `NODE_EXTRA_CA_CERTS` to the path of a PEM file if your company signs certificates with its own authority. Node reads it when a process starts, so set it in the environment of `pulumi`. Certificates are always verified: `NODE_TLS_REJECT_UNAUTHORIZED` has no effect.",
      "- If the address of a proxy is not valid, the run stops (AGP-016). If a proxy opens no connection to the platform, the message names its status (AGP-038). In both cases nothing was sent.",
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
    when: "At preview, before anything is sent. [What each one does](../guides/guards.md).",
  },
  { first: 30, title: "Refused, or not sent", when: "During `up` or `destroy`. The platform has not changed." },
  {
    first: 40,
    title: "Unknown outcome",
    when: "The request was sent and no usable response came. Nothing here can tell whether it was applied.",
  },
  { first: 50, title: "The response", when: "The platform accepted the request, and its response differs from it." },
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
    "Every message begins with its code. Codes keep their meaning; the words of a message may change.",
    ...GROUPS.flatMap(({ title, when }) => [
      `## ${title}`,
      when,
      table(
        ["Code", "What it means", "What to do"],
        rows
          .filter(([key]) => groupOf(key) === title)
          .map(([key, text]) => [`<a id="${key.toLowerCase()}"></a>${key}`, meaningOf(text), linked(text.remedy)]),
      ),
    ]),
  );
}
