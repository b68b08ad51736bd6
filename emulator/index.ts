/**
 * An emulator of the platform on the loopback interface: a real HTTP server with state, for tests, demos and
 * experiments. It is written from the interface alone and shares no code with the provider, so the two are independent
 * readings of the same document.
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
