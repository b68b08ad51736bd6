import { type Change, type Contribution, card, NOTHING } from "./model";
import { adopts, by, inputs, isVoice, sends, subject, where } from "./postWords";
import { beforeOf } from "./sides";
import { id, say, type Text } from "./text";
import { shown } from "./values";

/** A POST of an earlier run whose outcome nobody knows. */
export function unresolved(change: Change): Contribution {
  return change.op === "replace" ? settled(change) : open(change);
}

/** The operator has answered: it is there, or it may be sent once more. */
function settled(change: Change): Contribution {
  const what = say`${subject(change, beforeOf(change).values)} (${by(change)})`;
  const isAdopted = adopts(change);
  const title = isAdopted
    ? say`Settles ${what}: adopts ${shown(inputs(change).adopt)}, nothing is sent`
    : say`⚠ Settles ${what}: sent once more, as ${id("retryUnresolved")} allows`;
  return {
    card: card({
      tone: isAdopted ? "plain" : "danger",
      rank: isAdopted ? 6 : 0,
      family: isAdopted ? "quiet" : "unresolved",
      title,
    }),
    facts: isAdopted ? [] : [{ condition: "create", text: title }],
    requests: isAdopted ? NOTHING : sends(change),
    undo: undefined,
  };
}

function open(change: Change): Contribution {
  const { values } = beforeOf(change);
  const title = say`⚠ Unresolved since an earlier run: ${subject(change, values)} (${by(change)}) may or may not be in ${where(values)}`;
  return {
    card: card({
      tone: "danger",
      rank: 0,
      family: "unresolved",
      title,
      notes: change.op === "delete" ? FORGOTTEN : whatToWrite(change),
    }),
    facts: [{ condition: "unresolved", text: title }],
    requests: NOTHING,
    undo: undefined,
  };
}

const FORGOTTEN: readonly Text[] = [["It is forgotten without being settled: look there."]];

function whatToWrite(change: Change): Text[] {
  const adopt = id(`adopt: "<${isVoice(change) ? "voiceId" : "chatId"}>"`);
  const retry = id(`retryUnresolved: "${change.before?.id ?? ""}"`);
  return [
    ["This pull request does not send it again."],
    say`Look there, then write ONE of: ${adopt} if it is there, ${retry} if it is not.`,
  ];
}
