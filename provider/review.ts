/**
 * What the report may use of the provider: it words the plan, and decides nothing. What is not here, no file of cli/report imports
 * (test/architecture.spec.ts).
 */
export { notApproved } from "./core/change/approved";
export { judgeChange, judgeNew, judgeRunRemoval, unapprovedIn, type Violation } from "./core/change/guards";
export { clearedNumbers, judgeDelete, type Plan, planNumbers } from "./core/change/plan";
export {
  appliedSplits,
  heldBy,
  isReturn,
  isTouched,
  type NumbersState,
  outboundKey,
  possibleSplits,
  type Unapplied,
  unappliedOf,
} from "./core/change/state";
export { CODES, type Code } from "./core/common/codes";
export { compare, isObject, same } from "./core/common/equality";
export { clean } from "./core/common/redact";
export { holdsUnknown, isUnknown, UNKNOWN } from "./core/common/schemas";
export { explicitProvider, nameOf, partsOf } from "./core/common/urn";
export { readSettings } from "./core/config/readSettings";
export {
  BASE_URL_ENV,
  ENGINE_KEYS,
  GUARD_KEYS,
  NAMESPACE,
  type Settings,
} from "./core/config/settings";
export {
  adoptArgument,
  codeOf,
  leftAt,
  REFUSED_FOR_MISTAKES,
  retryArgument,
  UNAPPLIED,
  violationText,
} from "./core/messages";
export { isOfNumbers, type ResourceKind } from "./core/platform/kinds";
export {
  POST_COUNTS,
  POSTED,
  POSTED_KINDS,
  type PostCount,
  type PostedFamily,
  type PostedKind,
  piecesOf,
  postedAs,
  postedNouns,
} from "./core/platform/posted";
export { BINDINGS, FIELDS, isVersion, SCOPE, versionFieldOf } from "./core/routing/fields";
export { isSingle, type NumbersInputs, removable } from "./core/routing/group";
export { existsOnce, identityOf, type Members, toMembers, toText } from "./core/routing/numberList";
export { isNewAbort, type Rollout } from "./core/routing/rollout";
export {
  boundFields,
  clearedByMove,
  clearedFrom,
  isNothingCleared,
  routingOf,
  sameRouting,
} from "./core/routing/routing";
export {
  exceeds,
  isEmpty,
  type Move,
  moves,
  parseAgentKey,
  percentages,
  round,
  type Split,
  shift,
  total,
} from "./core/routing/split";
