/**
 * Returns a sensitive field's name in the form for comparisons: in lower case, and without `_`, `-`, `.` and blanks.
 */
export function sensitiveFieldName(name: string): string {
  return name.toLowerCase().replace(/[_.\-\s]/g, '');
}
