/**
 * An emulator of the platform for tests, demos and experiments. It shares no code with the provider, so that neither
 * can hide the other's misreading of the interface (docs/interface.md).
 */
export { startEmulator } from "./emulator";
export {
  FAULTS,
  type Fault,
  type FaultAction,
  type FaultFilter,
  type FaultHandle,
  type FaultKind,
} from "./faults";
export type { Clock } from "./platform";
export {
  defaultProfile,
  type Profile,
  type ProfileChoice,
  type Switch,
  switches,
} from "./profile";
export type { LoggedRequest } from "./requestLog";
export { type Operation, operationNames } from "./route";
export type { Chat, Posted, PostedLists, Routing, Voice } from "./store";
export type {
  Emulator,
  EmulatorOptions,
  NumberView,
} from "./types";
