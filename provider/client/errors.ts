/** A request that cannot be sent. Nothing was sent. Its stack is its message, because the engine prints stacks. */
export class InvalidRequestError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidRequestError";
    this.stack = message;
  }
}
