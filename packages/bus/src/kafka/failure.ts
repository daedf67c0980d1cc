import { isMandateError, type MandateError } from '@mandate/runtime';
import { misused, topicUnfit, unavailable } from '../errors.ts';
import { remedyOf } from './remedy.ts';

/**
 * The fields of a kafkajs error that the bus uses. `type` is Kafka's name of the error code in the broker's response.
 */
type ClientError = Error & { type?: string; retriable?: boolean; cause?: unknown; errors?: unknown[] };

/** Errors of the connection, or of the view of the cluster. A new connection may work. */
const CONNECTION_TROUBLE = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionClosedError',
  'KafkaJSConnectionError',
  'KafkaJSError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSNumberOfRetriesExceeded',
  'KafkaJSRequestTimeoutError',
  'KafkaJSTopicMetadataNotLoaded',
]);

/** Kafka's errors that may be temporary, in addition to the errors that kafkajs marks. */
const PASSING_ANSWERS = new Set([
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'OFFSET_NOT_AVAILABLE',
  'UNKNOWN_LEADER_EPOCH',
]);

const MEMBERSHIP_LOST = new Set(['FENCED_INSTANCE_ID', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);

/**
 * Returns the innermost error. kafkajs wraps errors for its retries, even if retries are off. It also wraps some
 * errors in a list with one entry.
 */
export function innermost(error: unknown): ClientError {
  const { name, cause, errors } = error as ClientError;
  if (name === 'KafkaJSAggregateError' && errors?.[0] !== undefined) return innermost(errors[0]);
  const isWrapper = name === 'KafkaJSNumberOfRetriesExceeded' || name === 'KafkaJSNonRetriableError';
  return isWrapper && cause instanceof Error ? innermost(cause) : (error as ClientError);
}

/** Returns Kafka's name of the error. Undefined if no broker sent the error. */
export function answerOf(error: unknown): string | undefined {
  return innermost(error).type;
}

/** True if the same request may succeed later, perhaps with another broker. */
export function mayPass(error: unknown): boolean {
  if (isMandateError(error)) return false;
  const { name, type, retriable } = innermost(error);
  if (type !== undefined) return retriable === true || PASSING_ANSWERS.has(type);
  return CONNECTION_TROUBLE.has(name);
}

/** True if the group has removed this member. */
export function isMembershipLost(error: unknown): boolean {
  return MEMBERSHIP_LOST.has(answerOf(error) ?? '');
}

export function isRebalancing(error: unknown): boolean {
  return answerOf(error) === 'REBALANCE_IN_PROGRESS';
}

/** Converts a kafkajs error to the error that callers of the bus get. */
export function asBusError(error: unknown): MandateError {
  if (isMandateError(error)) return error;
  const { message, type } = innermost(error);
  switch (type) {
    case 'MESSAGE_TOO_LARGE':
    case 'RECORD_LIST_TOO_LARGE':
      return misused(`the log refuses a record for its size: ${message}`);
    case 'UNKNOWN_TOPIC_OR_PARTITION':
    case 'INVALID_TOPIC_EXCEPTION':
    case 'TOPIC_AUTHORIZATION_FAILED':
    case 'CLUSTER_AUTHORIZATION_FAILED':
      return topicUnfit(
        message,
        'Create the topic as infra/kafka/README.md says, or give this client the right to the topic.',
        error,
      );
    case 'INVALID_REPLICATION_FACTOR':
      return topicUnfit(
        `the cluster has too few brokers for the replicas of a topic: ${message}`,
        'Set MANDATE_KAFKA_REPLICATION_FACTOR to the number of brokers. With one broker, also set MANDATE_KAFKA_MIN_IN_SYNC_REPLICAS=1.',
        error,
      );
    default:
      return unavailable(message, {
        cause: error,
        retryable: mayPass(error),
        remedy: remedyOf(innermost(error)),
      });
  }
}
