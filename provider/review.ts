/**
 * What the report may use of the provider: it words the plan, and decides nothing. What is not here, no file of cli/report imports
 * (test/architecture.spec.ts).
 */
export { judgeRunRemoval, notApproved, type Violation } from "./core/change/guards";
export { clearedNumbers, judgeDelete, type Plan, planNumbers } from "./core/change/plan";
export {
  appliedSplits,
  goesBackTo,
  isTouched,
  type NumbersState,
  possibleSplits,
} from "./core/change/state";
export { CODES, type Code } from "./core/common/codes";
export { compare, isObject, same } from "./core/common/equality";
export { clean } from "./core/common/redact";
export { holdsUnknown, isUnknown, UNKNOWN } from "./core/common/schemas";
export { nameOf, partsOf } from "./core/common/urn";
export { readSettings } from "./core/config/readSettings";
export { BASE_URL_ENV, GUARD_KEYS, NAMESPACE, type Settings } from "./core/config/settings";
export {
  adoptArgument,
  codeOf,
  REFUSED_FOR_MISTAKES,
  reasonMessage,
  retryArgument,
  violationText,
} from "./core/messages";
export type { Endpoint } from "./core/platform/endpoint";
export { isOfNumbers, type PostedKind, postedAs, type ResourceKind } from "./core/platform/kinds";
export { BINDINGS, FIELDS, isVersion, SCOPE, versionFieldOf } from "./core/routing/fields";
export { type Members, membersOf, toMembers, toText } from "./core/routing/group";
export { isNewAbort, type Rollout } from "./core/routing/rollout";
export {
  clearedFrom,
  isNothingCleared,
  sameRouting,
} from "./core/routing/routing";
export { exceeds, isEmpty, type Move, moves, percentages, round, type Split, shift } from "./core/routing/split";
