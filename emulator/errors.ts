/** Thrown if a fault or a profile is invalid. The message tells the user what is wrong with it. */
export class InvalidArgument extends Error {}
