import { notApproved, outboundKey, percentages, round } from "../../provider/review";
import { groupBy } from "../lists";
import { isSplit } from "../pulumi/values";
import { type Card, card, totalOf } from "./card";
import type { Guards } from "./guards";
import { affectedBy, type NumberChange, planOf, type Snapshot } from "./snapshot";
import { counted, id, joined, say, type Text } from "./text";

/** Agents that are not approved and that get calls by this change, also if the guard lets so few calls pass. It may be a typing mistake. */

type Found = ReturnType<typeof foundIn>[number];

export function unapprovedCards(changes: readonly NumberChange[], guards: Guards): Card[] {
  const found = changes.flatMap((change) => foundIn(change, guards));
  return groupBy(found, ({ agent }) => agent).map((same) => {
    const [{ agent, meant, list, limit }] = same;
    const [inbound, outbound] = [true, false].map((isIn) =>
      same.filter(({ percent }) => (percent !== undefined) === isIn),
    );
    const parts = [inboundText(inbound ?? []), outboundText(outbound ?? [])].filter((part) => part.length > 0);
    const asked = meant === undefined ? [] : say`: did you mean ${id(meant)}?`;
    const passed = guards.areBypassed
      ? "It passes, because the guards are bypassed for this run."
      : `It passes, because agents that are not approved may get up to ${round(limit)} % of the calls (maxUnapproved).`;
    return card({
      tone: "warning",
      rank: 2,
      family: "unapproved",
      title: say`⚠ ${id(agent)} is not in ${id(list)} and ${joined(parts, " and ")}${asked}`,
      notes: [[passed]],
    });
  });
}

function inboundText(found: readonly Found[]): Text {
  const percents = found.map(({ percent = 0 }) => percent);
  const most = Math.max(...percents);
  const upTo = percents.some((percent) => percent !== most) ? "up to " : "";
  return found.length === 0 ? [] : say`gets ${upTo}${round(most)} % of the calls of ${numbersText(found)}`;
}

const outboundText = (found: readonly Found[]): Text =>
  found.length === 0 ? [] : [`makes the outbound calls of ${numbersText(found)}`];

function numbersText(found: readonly Found[]): string {
  const total = totalOf(found);
  return total === undefined ? "numbers that are not all known yet" : counted(total, "number");
}

/** None if the list cannot be read. An agent that gets no more than before, on no other number, is not new. */
function foundIn(change: NumberChange, guards: Guards) {
  const own = guards.of(change.providerName);
  const { approvedAgents, maxUnapproved: limit = 0 } = own?.settings.guards ?? {};
  if (approvedAgents === undefined || change.op === "delete") {
    return [];
  }
  const { before, after } = change;
  const list = own?.approvedFile ?? "approvedAgents";
  const { count } = affectedBy(change, after);
  const joins = change.op === "update" ? planOf(change).joins.length : 0;
  const isListed = (agent: string) => approvedAgents.includes(agent);
  /** Of an outbound agent there is no percentage. A count that is not known yet is undefined. */
  const found = (agent: string, isGained: boolean, percent?: number) =>
    isListed(agent) || !(isGained || joins > 0)
      ? []
      : [{ ...notApproved(agent, approvedAgents), list, limit, percent, count: isGained ? count : joins }];
  const had = percentagesIn(before);
  const makes = outboundKey(after.state);
  return [
    ...Object.entries(percentagesIn(after)).flatMap(([agent, percent]) =>
      percent > 0 ? found(agent, percent > (had[agent] ?? 0), percent) : [],
    ),
    ...(makes === undefined ? [] : found(makes, makes !== outboundKey(before.state))),
  ];
}

const percentagesIn = ({ split }: Snapshot): Readonly<Record<string, number>> =>
  isSplit(split) ? percentages(split) : {};
