/** Counts the rows of a file from the bytes that are sent. So the count is right even if the sending ends early. */
import type { ExportFormat } from '@mandate/audit';

export type RowCount = { pass(bytes: Uint8Array): void; rows(): number };

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** @param format the format of the bytes. Several files may follow each other, except Parquet files */
export function rowCount(format: ExportFormat): RowCount {
  return format === 'parquet' ? parquetRows() : lines(format === 'csv');
}

/** Counts line feeds outside quotes. In CSV, the first line has the names of the columns and is not counted. */
function lines(isCsv: boolean): RowCount {
  let ends = 0;
  let isQuoted = false;
  return {
    pass(bytes) {
      if (!isCsv) {
        for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) ends += 1;
        return;
      }
      for (const byte of bytes) {
        if (byte === NEWLINE && !isQuoted) ends += 1;
        else if (byte === QUOTE) isQuoted = !isQuoted;
      }
    },
    rows: () => (isCsv ? Math.max(0, ends - 1) : ends),
  };
}

/**
 * The largest footer that can be read. A real footer has a few kilobytes: it describes about 24 columns for each
 * group of rows.
 */
const LONGEST_FOOTER = 1024 * 1024;

/**
 * Counts rows from the end of a Parquet file. The end has a footer, the length of the footer in four bytes, and the
 * text PAR1.
 */
function parquetRows(): RowCount {
  let end = Buffer.alloc(0);
  return {
    pass(bytes) {
      end = Buffer.concat([end, bytes]);
      if (end.length > 2 * LONGEST_FOOTER) end = Buffer.from(end.subarray(-LONGEST_FOOTER));
    },
    rows() {
      const length = end.length < 12 ? 0 : end.readUInt32LE(end.length - 8);
      if (length === 0 || length > end.length - 8 || end.subarray(-4).toString('latin1') !== 'PAR1') {
        throw new TypeError('this is no Parquet file that was made here');
      }
      return rowsInFooter(end.subarray(end.length - 8 - length, end.length - 8));
    },
  };
}

/**
 * The types of fields in Thrift's compact protocol. Before each value is a header with the type, which says how to
 * read the value.
 */
const BOOLEANS = [1, 2];
const BYTE = 3;
const INTEGERS = [4, 5, 6];
const DOUBLE = 7;
const BINARY = 8;
const LISTS = [9, 10];
const STRUCT = 12;

/**
 * Reads the number of rows from the footer. FileMetaData has field 1 version, 2 schema, 3 number of rows
 * (parquet.thrift).
 */
function rowsInFooter(footer: Buffer): number {
  let at = 0;
  const byte = () => footer.readUInt8(at++);
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const next = byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
    }
  };
  const skip = (type: number): void => {
    if (BOOLEANS.includes(type)) return;
    if (type === BYTE) at += 1;
    else if (INTEGERS.includes(type)) varint();
    else if (type === DOUBLE) at += 8;
    else if (type === BINARY) {
      const length = varint();
      at += length;
    } else if (LISTS.includes(type)) {
      const header = byte();
      const count = header >> 4 === 15 ? varint() : header >> 4;
      for (let each = 0; each < count; each += 1) skip(header & 0x0f);
    } else if (type === STRUCT) for (const field of fields()) skip(field.type);
    else throw new TypeError(`a Parquet footer has no type ${type}`);
  };
  function* fields(): Generator<{ id: number; type: number }> {
    for (let id = 0; ; ) {
      const header = byte();
      if (header === 0) return;
      id = header >> 4 === 0 ? unzigzag(varint()) : id + (header >> 4);
      yield { id, type: header & 0x0f };
    }
  }
  for (const { id, type } of fields()) {
    if (id === 3) return unzigzag(varint());
    skip(type);
  }
  throw new TypeError('this Parquet footer does not say how many rows there are');
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
