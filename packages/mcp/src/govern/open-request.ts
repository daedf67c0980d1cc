/** A request of a client that has no answer yet. */
import type { Request } from '../messages/read-message.ts';
import type { OpenCall } from './open-call.ts';
import type { GovernedMethod } from './subjects.ts';

export type GovernedRequest = Request & { method: GovernedMethod };

export type OpenRequest = {
  request: Request;
  /** Set if the request is governed. */
  governed: {
    request: GovernedRequest;
    /** Aborts when the client gives up while the call is decided. */
    deciding: AbortController;
    /** Null until the call is allowed. */
    call: OpenCall | null;
    /** True if the client has its answer already. */
    isAnswered: boolean;
  } | null;
};
