/**
 * What the messages, `help` and docs/reference/errors.md say about an error code. A code never changes its meaning.
 */
export interface CodeText {
  readonly title: string;
  /**
   * Whether to run the failed command again, without `--replace`. Doing so never repeats a request that must be sent
   * only once, such as one that sends an SMS.
   */
  readonly again: "yes" | "after the fix" | "not needed";
  /**
   * How to fix the problem. This is a function if the text mentions the base URL or a rollout. Without `name`, the text
   * uses a general term, such as `<rollout>`.
   */
  readonly fix: string | ((name?: string) => string);
  /** Set if the code belongs to a guard. The remedy then also says how to bypass the guards. */
  readonly isGuard?: true;
  /** Set if the failed command has to be rerun after the fix. The remedy then also says which commands to rerun. */
  readonly isRerun?: true;
  /** Set if every message with this code must supply its own remedy. The reference page and `help` still show `fix`. */
  readonly isByCase?: true;
  /**
   * Set if an error with this code ends with the command that prints the code's help. Most remedies already name a
   * command, and a second one would only distract from it.
   */
  readonly pointsToHelp?: true;
}

/**
 * Doesn't say "the same command", because that may be `promote --up`. A second `promote --up` may write the rollout's
 * next step, and that step would bypass the guards.
 */
export const BYPASS_ONCE =
  'To bypass the guards once, put `AGENT_PLATFORM_BYPASS="<reason>"` in front of `pulumi up`, `pulumi destroy` or `abort --up`.';

/**
 * Names the commands, because other reruns may do harm.
 * - A second `promote --up` may write the rollout's next step.
 * - `pulumi up` after a failed `pulumi destroy` would add voices and send SMS again, and so would `--replace`.
 */
export const RERUN = "Rerun `pulumi up` (without `--replace`), `pulumi destroy` or `abort --up`, whichever failed.";

/** Says what setting `agent-platform:onMismatch` to `warn` does to the whole stack. */
export const WARN_EFFECT =
  "Every run then only warns, even if a response shows wrong agents or a number that was not cleared.";

export const CODES = {
  "AGP-001": {
    title: "An argument is not valid",
    again: "after the fix",
    fix: "Fix the argument named in the message.",
    isByCase: true,
  },
  "AGP-002": {
    title: "No agents are declared for a number",
    again: "after the fix",
    fix: "Set `rollout` or `inboundAgents`. To unassign all agents, set `inboundAgents: []`.",
  },
  "AGP-003": {
    title: "A number is declared twice",
    again: "after the fix",
    fix: "Declare the number in one resource only.",
  },
  "AGP-007": {
    title: "A resource cannot be imported by its id",
    again: "after the fix",
    fix: "For numbers, use `npx pulumi-agent-platform takeover --import`. For a voice or a chat, set `adopt`.",
    isByCase: true,
  },
  "AGP-010": {
    title: "The base URL is missing or not valid",
    again: "after the fix",
    fix: "Run `pulumi config set agent-platform:baseUrl https://…`, or set AGENT_PLATFORM_BASE_URL.",
  },
  "AGP-012": {
    title: "The settings name two platforms",
    again: "after the fix",
    fix: "Keep only one of the two settings. To stay on the platform that the config names, unset AGENT_PLATFORM_BASE_URL. To move to the platform that AGENT_PLATFORM_BASE_URL names, run `pulumi config rm agent-platform:baseUrl`. The next `pulumi up` then overwrites the routing of your numbers on that platform.",
  },
  "AGP-013": {
    title: "The access token is missing or not valid",
    again: "after the fix",
    fix: "Set AGENT_PLATFORM_ACCESS_TOKEN to a token from the platform's profile settings.",
    pointsToHelp: true,
  },
  "AGP-015": {
    title: "A setting is not valid",
    again: "after the fix",
    fix: "Fix the setting named in the message.",
    isByCase: true,
  },
  "AGP-020": {
    title: "Guard weightTotal",
    again: "after the fix",
    fix: "Change a weight, or change agent-platform:weightTotal.",
    isGuard: true,
  },
  "AGP-021": {
    title: "Guard maxShift",
    again: "after the fix",
    fix: "Move less traffic at a time, or raise agent-platform:maxShift.",
    isGuard: true,
  },
  "AGP-022": {
    title: "Guard requireVersions",
    again: "after the fix",
    fix: "Add the version: `agent_front@12` in a split, `outboundAgentVersion: 12` for an outbound agent.",
    isGuard: true,
  },
  "AGP-023": {
    title: "Guard approvedAgents",
    again: "after the fix",
    fix: "Use approved agents only, or add the agents to agent-platform:approvedAgents.",
    isGuard: true,
  },
  "AGP-024": {
    title: "Guard maxRemove",
    again: "after the fix",
    fix: "Put the numbers back into the program. If they are meant to lose their agents, raise agent-platform:maxRemove. When you rerun, even with a bypass, leave out `--replace`.",
    isGuard: true,
  },
  "AGP-025": {
    title: "Guard freeze",
    again: "after the fix",
    fix: "To end the freeze, run `pulumi config rm agent-platform:freeze`. After a refused `pulumi destroy`, that does not help, because a destroy uses the settings of the last `pulumi up`: bypass the guards instead. Do not run `pulumi up` to update those settings, because it would add the voices a second time.",
    isGuard: true,
  },
  "AGP-027": {
    title: "Guard steps",
    again: "after the fix",
    fix: (rollout = "<rollout>") =>
      `Go up one step at a time with \`npx pulumi-agent-platform promote ${rollout} --stack <stack>\`. To go back, run \`npx pulumi-agent-platform abort ${rollout} --stack <stack>\`. To return to another approved agent, add \`--to <agent>\` to that command.`,
    isGuard: true,
  },
  "AGP-030": {
    title: "The platform rejected the request",
    again: "after the fix",
    fix: "Fix the problem that the platform describes, or correct the arguments. If the arguments are correct, contact the platform's support and give the request id, if there is one.",
    isRerun: true,
  },
  "AGP-031": {
    title: "The platform rejected the token (401)",
    again: "after the fix",
    fix: "Create a new token and replace the old one. For the steps, run `npx pulumi-agent-platform help troubleshooting`.",
    isRerun: true,
  },
  "AGP-032": {
    title: "The token does not allow this request (403)",
    again: "after the fix",
    fix: "Make sure that the token is allowed to edit this workspace.",
    isRerun: true,
  },
  "AGP-033": {
    title: "The platform does not know the number or id (404)",
    again: "after the fix",
    fix: "Check whether the number (or id) and the workspace are correct.",
    isRerun: true,
  },
  "AGP-034": {
    title: "The platform's rate limit lasts too long",
    again: "yes",
    fix: "Wait until the rate limit has ended.",
    isRerun: true,
  },
  "AGP-035": {
    title: "The platform cannot be reached: nothing was sent",
    again: "yes",
    fix: (baseUrl = "the base URL") => `Check ${baseUrl} and the network.`,
    isRerun: true,
  },
  "AGP-036": {
    title: "The connection cannot be trusted: nothing was sent",
    again: "after the fix",
    fix: (baseUrl = "the base URL") =>
      `Check ${baseUrl} and the server's certificate. If the certificate comes from your own certificate authority, set NODE_EXTRA_CA_CERTS to the authority's certificate file.`,
    isRerun: true,
  },
  "AGP-037": {
    title: "The platform redirects the request, and redirects are not followed",
    again: "after the fix",
    fix: (baseUrl = "the base URL") =>
      `Check ${baseUrl} and anything between this machine and the platform, such as a gateway, a cache or a sign-in page.`,
    isRerun: true,
  },
  "AGP-038": {
    title: "The proxy did not connect to the platform: nothing was sent",
    again: "after the fix",
    fix: "Check the proxy in HTTPS_PROXY or ALL_PROXY. If it needs a user name and password, write `http://user:password@host:port`. To connect without the proxy, add the platform's host to NO_PROXY.",
    isRerun: true,
  },
  "AGP-040": {
    title: "Unknown outcome: a routing may have been applied",
    again: "yes",
    fix: "Sending the same routing twice does no harm.",
    isRerun: true,
  },
  "AGP-041": {
    title: "Unknown outcome: a voice may have been added or a chat started",
    again: "yes",
    fix: "Look for the voice or chat on the platform. Then set `adopt`, which sends nothing, or `retryUnresolved`, which adds the voice or sends the SMS once more. For the steps, run `npx pulumi-agent-platform help unresolved`.",
    isByCase: true,
    pointsToHelp: true,
  },
  "AGP-043": {
    title: "Unknown outcome: a chat may have been ended",
    again: "yes",
    fix: "Ending a chat twice does no harm.",
    isRerun: true,
  },
  "AGP-044": {
    title: "An earlier run may not have applied the routing of some numbers",
    again: "yes",
    fix: "`pulumi up` sends this routing again. After a failed `pulumi destroy`, rerun the destroy instead. For an aborted rollout, run `abort --up`.",
  },
  "AGP-050": {
    title: "The response differs from the request",
    again: "after the fix",
    fix: `Check the number in the platform's web application. If only the response is wrong, you can set \`agent-platform:onMismatch\` to \`warn\`. ${WARN_EFFECT} A destroy uses the value of the last \`pulumi up\`.`,
    isRerun: true,
  },
  "AGP-052": {
    title: "A number could not be cleared",
    again: "after the fix",
    fix: `${RERUN} Put \`AGENT_PLATFORM_CLEAR_WITH=omit\` in front of the command. If that does not clear the number, try \`null\`, then \`empty\`. Then set \`agent-platform:clearWith\` to the value that worked. After a success, check the named fields in the platform's web application; you can also clear them there.`,
  },
  "AGP-053": {
    title: "The response does not confirm the routing",
    again: "not needed",
    fix: "To be sure that the change has taken effect, call one of the changed numbers.",
  },
  "AGP-060": {
    title: "The state belongs to another platform",
    again: "not needed",
    fix: "If the move was not intended, restore the base URL.",
    isByCase: true,
  },
  "AGP-061": {
    title: "Nothing is sent, and no action is needed",
    again: "not needed",
    fix: "No action is needed, unless the message describes something unexpected.",
    isByCase: true,
  },
  "AGP-063": {
    title: "A voice stays in the library",
    again: "not needed",
    fix: "To remove the voice there as well, use the platform's web application.",
  },
  "AGP-065": {
    title: "An agent that was aborted gets calls again",
    again: "not needed",
    fix: "If the agent should not receive calls again, change the rollout before you run `pulumi up`.",
  },
  "AGP-067": {
    title: "The next `pulumi up` sends an SMS",
    again: "not needed",
    fix: "To send no SMS, remove the chat from the program, or set `adopt` to the id of an existing chat.",
  },
  "AGP-068": {
    title: "The guards are bypassed for this run",
    again: "not needed",
    fix: "Unset AGENT_PLATFORM_BYPASS afterwards, because it is meant for a single run.",
  },
  "AGP-069": {
    title: "The next `pulumi up` adds a voice that cannot be removed",
    again: "not needed",
    fix: "To avoid that, remove the voice from the program, or set `adopt` to the id of an existing voice.",
  },
  "AGP-070": {
    title: "Some numbers in a group were not applied or not cleared",
    again: "yes",
    fix: "Fix the causes listed above.",
    isRerun: true,
  },
  "AGP-072": {
    title: "Numbers join or leave: their routing is overwritten or cleared",
    again: "not needed",
    fix: "Check the list of numbers before you run `pulumi up`, and change the program if the list is wrong.",
  },
  "AGP-074": {
    title: "A delete was postponed",
    again: "after the fix",
    fix: "Fix any errors in the output of the run.",
    isRerun: true,
  },
  "AGP-075": {
    title: "`deleteBeforeReplace` would clear numbers too early",
    again: "after the fix",
    fix: "Remove the resource option `deleteBeforeReplace`.",
    pointsToHelp: true,
  },
  "AGP-076": {
    title: "The run does not know what the program declares",
    again: "after the fix",
    fix: "Make sure that the folder named in the message has mode 0700 and free space, or set TMPDIR to another folder.",
    isRerun: true,
  },
  "AGP-077": {
    title: "An abort only changes its own rollout",
    again: "after the fix",
    fix: "If the end of the output says that not every number has the stable split, check out the deployed commit and run the same abort again.",
    pointsToHelp: true,
  },
  "AGP-080": {
    title: "The saved state cannot be read",
    again: "after the fix",
    fix: "Run `pulumi stack export`, correct the named field, and import the result with `pulumi stack import`. Do not import an export from before a voice or chat was created: the next `pulumi up` would add the voice or send the SMS again. If you cannot correct the field, remove the resource from the state with `pulumi state delete`. The next `pulumi up` then creates the resource again, which overwrites a number, adds a voice a second time, or sends another SMS.",
  },
} as const satisfies Record<`AGP-${number}`, CodeText>;

export type Code = keyof typeof CODES;

/** The codes whose messages must supply their own remedy. */
export type CodeByCase = { [Key in Code]: (typeof CODES)[Key] extends { readonly isByCase: true } ? Key : never }[Code];

/**
 * How to fix the problem, without the sentences that many codes share.
 * @param name the base URL or the rollout, as the text should mention it
 */
export function fixOf(code: Code, name?: string): string {
  const { fix }: CodeText = CODES[code];
  return typeof fix === "string" ? fix : fix(name);
}

/** Returns an error code's remedy, which `help` shows and which messages use by default. */
export function remedyOf(code: Code): string {
  const { isGuard, isRerun }: CodeText = CODES[code];
  return [fixOf(code), isGuard && BYPASS_ONCE, isRerun && RERUN].filter(Boolean).join(" ");
}
