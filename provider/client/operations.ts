export type * from "../core/operations";
