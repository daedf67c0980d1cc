/**
 * @mandate/access-log: who read what. Every read of a service, and every request that a service refused, is a record
 * of the access topic.
 *
 * `recordHttpReads` adds the recording to the routes of a server. A read is on the log before its answer is shown. If
 * the log does not take the record, nothing is shown. A refused caller waits for the record as well. Requests without
 * a valid key and requests beyond a limit are only counted, because any caller can send as many as it likes
 * (count-refusals.ts).
 *
 * The recorder puts these records into the audit. Services mount this package on their routes; it appends through the
 * port of @mandate/bus.
 */
export { type HttpReads, recordHttpReads } from './record-http-reads.ts';
