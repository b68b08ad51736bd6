import { Metadata, type ServerErrorResponse, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { changingSaved, type SavedError } from "../resources/lifecycle";

/** The error as gRPC sends it: its message, and no stack. */
export function statusOf(error: unknown): Partial<ServerErrorResponse> {
  const details = error instanceof Error ? error.message : String(error);
  return error instanceof FailedWithResource
    ? { code: status.UNKNOWN, details, metadata: error.metadata }
    : { code: status.UNKNOWN, details };
}

class FailedWithResource extends Error {
  readonly metadata: Metadata;
  constructor(message: string, metadata: Metadata) {
    super(message);
    this.metadata = metadata;
  }
}

/** If something may exist although the call failed, the error has the resource with it, and the engine saves it. */
export const withResource = <T>(toStruct: (state: object) => Struct, call: () => Promise<T>): Promise<T> =>
  changingSaved(call, (error) => new FailedWithResource(error.message, initFailed(error, toStruct(error.state))));

/** The header in which gRPC sends a structured error: a status that holds the resource. */
function initFailed({ id, message }: SavedError, properties: Struct): Metadata {
  const failed = new ErrorResourceInitFailed().setId(id).setProperties(properties).setReasonsList([message]);
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const whole = new Status().setCode(status.UNKNOWN).setMessage(message);
  whole.addDetails(detail);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(whole.serializeBinary()));
  return metadata;
}
