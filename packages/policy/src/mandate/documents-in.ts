/** Splits a file into its YAML documents, before their content is read. */
import { CAPS, decodeFile, placeOf } from '@mandate/schemas/core';
import { type Document, isMap, isScalar, parseAllDocuments } from 'yaml';
import type { DocumentFault } from './document-fault.ts';
import { yamlExcess } from './yaml-bounds.ts';

/** The bytes of a file, or its text. */
export type DocumentSource = Uint8Array | string;

/**
 * The expected content of a file, for messages. `what` completes the phrase "the file holds no …". `begins` is the
 * expected first line of such a document. If absent, it is `version: 1`.
 */
export type DocumentKind = { what: string; begins?: string };

export type DocumentsIn =
  | {
      ok: true;
      text: string;
      documents: readonly Document[];
      /**
       * The offsets of empty documents before the last document. A `---` at the end of the file does not begin a
       * document.
       */
      empty: readonly number[];
    }
  | { ok: false; fault: DocumentFault };

export function documentsIn(source: DocumentSource, kind: DocumentKind): DocumentsIn {
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  if (bytes.length > CAPS.documentBytes)
    return refuse(`the file is larger than ${CAPS.documentBytes} bytes: split it`);
  const decoded = typeof source === 'string' ? { ok: true as const, text: source } : decodeFile(source);
  if (!decoded.ok) return refuse(`the file is ${decoded.fault.message}`, decoded.fault);
  const { text } = decoded;
  const excess = yamlExcess(text);
  if (excess !== null) return refuse(excess.message, placeOf(text, excess.offset));
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const last = parsed.documents.findLastIndex((document) => !isEmpty(document));
  if (last === -1) return refuse(nothingIn(text, kind));
  const documents = parsed.documents.slice(0, last + 1);
  return {
    ok: true,
    text,
    documents: documents.filter((document) => !isEmpty(document)),
    empty: documents.filter(isEmpty).map(({ range }) => range[0]),
  };
}

/**
 * True if the first document has the field `kind`. False for a file that cannot be parsed. The parser of the caller
 * then reports the reason.
 */
export function saysKind(source: DocumentSource): boolean {
  const read = documentsIn(source, { what: 'document' });
  const contents = read.ok ? read.documents[0]?.contents : null;
  return isMap(contents) && contents.has('kind');
}

/** Returns the text of the field `apiVersion` of the first document. Null if it has none, or cannot be parsed. */
export function apiVersionIn(source: DocumentSource): string | null {
  const read = documentsIn(source, { what: 'document' });
  const contents = read.ok ? read.documents[0]?.contents : null;
  const version: unknown = isMap(contents) ? contents.get('apiVersion') : null;
  return typeof version === 'string' ? version : null;
}

function parse(text: string): { ok: true; documents: readonly Document.Parsed[] } | Refused {
  try {
    const documents = parseAllDocuments(text, {
      // The parser's own search for repeated keys takes quadratic time. yaml-rules.ts searches for them in linear
      // time.
      uniqueKeys: false,
      prettyErrors: false,
    });
    return { ok: true, documents: Array.isArray(documents) ? documents : [] };
  } catch (error) {
    // The parser throws an exception for some hostile input.
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function isEmpty({ contents, errors }: Document.Parsed): boolean {
  if (errors.length > 0) return false;
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

/** Returns a message with the content that was found and the content that is expected. */
function nothingIn(text: string, { what, begins = 'version: 1' }: DocumentKind): string {
  return `the file holds no ${what}: ${found(text)}. A document here begins with: ${begins}`;
}

function found(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.every((line) => line === '')) return 'it is empty';
  if (lines.every((line) => line === '' || line.startsWith('#'))) return 'it has only comments';
  return 'it has only marks where documents begin (---)';
}

type Refused = Extract<DocumentsIn, { ok: false }>;

function refuse(message: string, { line, column } = { line: 1, column: 1 }): Refused {
  return { ok: false, fault: { line, column, path: '', message } };
}
