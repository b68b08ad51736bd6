import { isObject } from "../../provider/base/json";
import { agentKey } from "../../provider/routing/split";
import { manifest } from "../package";
import type { Exchange, Probed } from "./probe";
import type { Subject } from "./questions";

/**
 * Returns the output of `probe --json`. Users may publish it, so it withholds strings that only the platform's
 * responses contain, such as accounts and webhooks.
 */
export function recordOf({ steps, others, settings, contradictions, profile, stopped, end }: Probed, subject: Subject) {
  const texts = textsOf(subject);
  const exchange = ({ body, attempts }: Exchange) => ({
    request: body,
    responses: attempts.map(({ status, json }) => ({ status: status ?? "none", body: withheld(json, texts, subject) })),
  });
  return {
    record: 1,
    package: manifest().version,
    node: process.versions.node,
    number: subject.number,
    isWhole: stopped === undefined,
    end: end.number,
    steps: steps.map((step) => ({
      asked: step.asked,
      ...exchange(step.exchange),
      answers: step.answers.map(({ name, row, answer, meaning: { says } }) => ({ name, row, answer, says })),
    })),
    others: others.map(exchange),
    settings,
    contradictions,
    profile,
  };
}

/**
 * The number and the agents of a probe. These strings are not removed from the recorded responses, because the requests
 * in the record contain them anyway.
 */
const textsOf = ({ agents, outbound, number }: Subject): ReadonlySet<string> =>
  new Set([number, ...[...agents, outbound].flatMap((agent) => [agent.agentId, agentKey(agent)])]);

const WITHHELD = "(withheld)";

function withheld(value: unknown, texts: ReadonlySet<string>, subject: Subject): unknown {
  if (typeof value === "string") {
    const isNumber = digitsOf(value) !== "" && digitsOf(value) === digitsOf(subject.number);
    return value === "" || texts.has(value) || isNumber ? value : WITHHELD;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withheld(item, texts, subject));
  }
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
          /^\w{1,64}$/.test(key) ? key : WITHHELD,
          withheld(item, texts, subject),
        ]),
      )
    : value;
}

/**
 * Returns the digits of a string, to recognize the probed number in any format. Returns "" if the string contains
 * letters, because then it can't be a formatted number.
 */
const digitsOf = (text: string): string => (/[a-z]/i.test(text) ? "" : text.replace(/\D/g, ""));
