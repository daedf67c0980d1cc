/** Watches a reply that is one JSON document, and settles the call when it was read. */
import type { BodyWatcher } from '../model-calls/watch-body.ts';
import type { RunningCall } from './running-call.ts';
import { fieldsOf, readUsage } from './token-usage.ts';

/** A longer reply is not parsed a second time. Its usage is looked for at its end. */
const MOST_PARSED_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

/** @param mayRetry true if the SDK may send the request again after its reply broke off */
export function replyWatcher(call: RunningCall, mayRetry: () => boolean): Omit<BodyWatcher, 'signal'> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let isLong = false;
  return {
    piece(bytes) {
      pieces.push(bytes.slice());
      size += bytes.byteLength;
      if (size > MOST_PARSED_BYTES || (isLong && size > 2 * TAIL_BYTES)) {
        const tail = joined(pieces).slice(-TAIL_BYTES);
        pieces = [tail];
        size = tail.byteLength;
        isLong = true;
      }
    },
    async end(how) {
      if (how === 'finished') {
        const text = new TextDecoder().decode(joined(pieces));
        await call.finished(readUsage(isLong ? usageInTail(text) : fieldsOf(parsed(text)).usage));
      } else if (how === 'broken' && mayRetry()) {
        call.unanswered();
      } else {
        await call.finished(null);
      }
    },
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
}

/** Returns the last field `usage` of a document without its beginning. */
function usageInTail(text: string): unknown {
  const begin = text.indexOf('{', text.lastIndexOf('"usage"'));
  let depth = 0;
  for (let at = begin; at >= 0 && at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return parsed(text.slice(begin, at + 1));
  }
  return null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
