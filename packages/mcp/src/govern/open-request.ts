/** A request of a client that has no answer yet. */

import { fieldsOf } from '../messages/fields-of.ts';
import type { Request } from '../messages/read-message.ts';
import type { OpenCall } from './open-call.ts';
import type { GovernedMethod } from './subjects.ts';

export type GovernedRequest = Request & { method: GovernedMethod };

export type OpenRequest = {
  request: Request;
  /** Present if the request is governed. */
  governed: {
    request: GovernedRequest;
    /** Aborts if the client cancels the request while the call is decided. */
    deciding: AbortController;
    /** Null until the call is allowed. */
    call: OpenCall | null;
    /** True if the client already has its answer. */
    isAnswered: boolean;
  } | null;
};

/**
 * Returns the parts of the request that its answer still needs. A server may leave many requests without an answer, so
 * their arguments are not kept.
 */
export function withoutArguments<R extends Request>(request: R): R {
  const { _meta, taskId } = request.params.value;
  const version = fieldsOf(_meta)[VERSION];
  const isTask = typeof taskId === 'string' && taskId.length <= MOST_TASK_ID_UNITS;
  const value = {
    ...(typeof version === 'string' && { _meta: { [VERSION]: 'stated' } }),
    ...(isTask && { taskId }),
  };
  return { ...request, text: '', params: { value, members: [] } };
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const MOST_TASK_ID_UNITS = 1_024;
