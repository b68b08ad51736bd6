/**
 * An emulator of the platform for tests, demos and experiments: a real HTTP server on the loopback interface that keeps
 * state. It follows the interface document alone and shares no code with the provider, so if one of them misreads the
 * interface, the other doesn't repeat the mistake and hide it.
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
