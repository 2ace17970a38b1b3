/**
 * Removes the symbols of an ELF executable that only native addons need. Node.js exports 90,000, and each start reads
 * a few hundred imports that are scattered between them, so that 3 to 7 MB of their tables stay in memory. The tables
 * are written again where they were, with imports and with exports that the executable and its libraries share.
 */
const TAG = {
  needed: 1,
  pltSize: 2,
  hash: 4,
  strings: 5,
  symbols: 6,
  relocations: 7,
  relocationsSize: 8,
  stringsSize: 10,
  soname: 14,
  rpath: 15,
  pltRelocations: 23,
  runpath: 29,
  gnuHash: 0x6ffffef5,
  versions: 0x6ffffff0,
  neededVersions: 0x6ffffffe,
  neededVersionCount: 0x6fffffff,
};
const NAME_TAGS = new Set([TAG.needed, TAG.soname, TAG.rpath, TAG.runpath]);
const SECTION = { hash: 5, symbols: 11, gnuHash: 0x6ffffff6, versions: 0x6fffffff };
const SEGMENT = { load: 1, dynamic: 2 };
/** Relocations that copy a variable of a library into the executable, for amd64 and arm64. */
const COPY = { 62: 5, 183: 1024 };
const SYMBOL_SIZE = 24;
const RELOCATION_SIZE = 24;
const BUCKETS = 256;

/** Changes `file`, a 64-bit little-endian executable, in place. Returns the number of symbols before and after. */
export function compactSymbols(file) {
  const elf = readTables(file);
  const copyType = COPY[file.readUInt16LE(18)];
  if (copyType === undefined) throw new Error("This executable is for an unknown processor.");
  const copied = new Set(
    elf.relocations
      .filter((at) => file.readUInt32LE(at + 8) === copyType)
      .map((at) => file.readBigUInt64LE(at)),
  );
  const used = new Set(elf.relocations.map((at) => file.readUInt32LE(at + 12)));
  const symbols = elf.symbols.filter(
    ({ index, value }) => index === 0 || used.has(index) || copied.has(value),
  );
  const strings = createStrings(file, elf.offset(TAG.strings));
  const tables = {
    symbols: Buffer.concat(symbols.map((symbol) => writeSymbol(symbol, strings))),
    versions: writeVersions(file, symbols, elf.offset(TAG.versions)),
    hash: writeHash(symbols.map(({ isDefined, name }) => (isDefined ? strings.read(name) : undefined))),
  };
  renumber(file, elf.relocations, symbols);
  renameVersions(file, elf, strings);
  for (const { at, tag } of elf.entries)
    if (NAME_TAGS.has(tag)) file.writeUInt32LE(strings.move(file.readUInt32LE(at + 8)), at + 8);
  replaceTables(file, elf, { ...tables, strings: strings.write() });
  return { before: elf.symbols.length, after: symbols.length };
}

function readTables(file) {
  const segments = readHeaders(file, { table: 32, size: 54 }).map((at) => ({
    type: file.readUInt32LE(at),
    offset: Number(file.readBigUInt64LE(at + 8)),
    address: Number(file.readBigUInt64LE(at + 16)),
    size: Number(file.readBigUInt64LE(at + 32)),
  }));
  const toOffset = (address) => {
    const segment = segments.find(
      ({ type, address: start, size }) => type === SEGMENT.load && address >= start && address < start + size,
    );
    if (!segment) throw new Error("This executable has a table outside its segments.");
    return address - segment.address + segment.offset;
  };
  const dynamic = segments.find(({ type }) => type === SEGMENT.dynamic);
  if (!dynamic) throw new Error("This executable has no dynamic symbols.");
  const entries = [];
  for (let at = dynamic.offset; file.readBigInt64LE(at) !== 0n; at += 16)
    entries.push({ at, tag: Number(file.readBigInt64LE(at)) });
  const value = (tag) => {
    const entry = entries.find((other) => other.tag === tag);
    if (!entry) throw new Error(`This executable has no entry ${tag} in its dynamic section.`);
    return Number(file.readBigUInt64LE(entry.at + 8));
  };
  const offset = (tag) => toOffset(value(tag));
  const sections = readHeaders(file, { table: 40, size: 58 }).map((at) => ({
    at,
    type: file.readUInt32LE(at + 4),
    size: Number(file.readBigUInt64LE(at + 32)),
    link: file.readUInt32LE(at + 40),
  }));
  return {
    entries,
    sections,
    value,
    offset,
    symbols: readSymbols(file, offset(TAG.symbols), sections),
    relocations: [
      ...rows(offset(TAG.relocations), value(TAG.relocationsSize), RELOCATION_SIZE),
      ...rows(offset(TAG.pltRelocations), value(TAG.pltSize), RELOCATION_SIZE),
    ],
  };
}

/** The offsets of program or section headers. */
function readHeaders(file, { table, size }) {
  const start = Number(file.readBigUInt64LE(table));
  const [length, count] = [file.readUInt16LE(size), file.readUInt16LE(size + 2)];
  return rows(start, length * count, length);
}

function rows(start, size, length) {
  return Array.from({ length: size / length }, (_, index) => start + index * length);
}

function readSymbols(file, start, sections) {
  const section = sections.find(({ type }) => type === SECTION.symbols);
  if (!section) throw new Error("This executable has no section with its dynamic symbols.");
  return rows(start, section.size, SYMBOL_SIZE).map((at, index) => ({
    index,
    bytes: Buffer.from(file.subarray(at, at + SYMBOL_SIZE)),
    name: file.readUInt32LE(at),
    value: file.readBigUInt64LE(at + 8),
    isDefined: file.readUInt16LE(at + 6) !== 0,
  }));
}

/** A table of the names that are still used. */
function createStrings(file, start) {
  const offsets = new Map([["", 0]]);
  let length = 1;
  const read = (name) => file.toString("latin1", start + name, file.indexOf(0, start + name));
  return {
    read,
    /** Returns the new offset of the name at an old one. */
    move(name) {
      const text = read(name);
      if (!offsets.has(text)) {
        offsets.set(text, length);
        length += text.length + 1;
      }
      return offsets.get(text);
    },
    write: () => Buffer.from([...offsets.keys()].map((text) => `${text}\0`).join(""), "latin1"),
  };
}

function writeSymbol({ bytes, name }, strings) {
  bytes.writeUInt32LE(strings.move(name), 0);
  return bytes;
}

function writeVersions(file, symbols, start) {
  return Buffer.concat(
    symbols.map(({ index }) => Buffer.from(file.subarray(start + index * 2, start + index * 2 + 2))),
  );
}

/** The hash table of the ELF specification, in which libraries find the exports. Imports have no name here. */
function writeHash(names) {
  const table = new Uint32Array(2 + BUCKETS + names.length);
  table.set([BUCKETS, names.length]);
  names.forEach((name, index) => {
    if (name === undefined) return;
    const bucket = 2 + (hashName(name) % BUCKETS);
    table[2 + BUCKETS + index] = table[bucket];
    table[bucket] = index;
  });
  return Buffer.from(table.buffer);
}

function hashName(name) {
  let hash = 0;
  for (const byte of Buffer.from(name, "latin1")) {
    hash = (hash << 4) + byte;
    hash = (hash ^ ((hash & 0xf0000000) >>> 24)) & 0x0fffffff;
  }
  return hash;
}

function renumber(file, relocations, symbols) {
  const numbers = new Map(symbols.map(({ index }, number) => [index, number]));
  for (const at of relocations) file.writeUInt32LE(numbers.get(file.readUInt32LE(at + 12)), at + 12);
}

/** The versions that the executable needs of each library. */
function renameVersions(file, elf, strings) {
  let library = elf.offset(TAG.neededVersions);
  for (let count = elf.value(TAG.neededVersionCount); count > 0; count -= 1) {
    file.writeUInt32LE(strings.move(file.readUInt32LE(library + 4)), library + 4);
    let version = library + file.readUInt32LE(library + 8);
    for (let left = file.readUInt16LE(library + 2); left > 0; left -= 1) {
      file.writeUInt32LE(strings.move(file.readUInt32LE(version + 8)), version + 8);
      version += file.readUInt32LE(version + 12);
    }
    library += file.readUInt32LE(library + 12);
  }
}

/** Writes the new tables one after another over the old symbols, and erases the rest of the old tables. */
function replaceTables(file, elf, { symbols, versions, hash, strings }) {
  const table = elf.sections.find(({ type }) => type === SECTION.symbols);
  const section = {
    symbols: table,
    strings: elf.sections[table.link],
    versions: elf.sections.find(({ type }) => type === SECTION.versions),
    hash: elf.sections.find(({ type }) => type === SECTION.gnuHash),
  };
  const [start, address] = [elf.offset(TAG.symbols), elf.value(TAG.symbols)];
  const space = table.size;
  const oldTables = [
    [start, space],
    [elf.offset(TAG.strings), section.strings.size],
    [elf.offset(TAG.versions), section.versions.size],
    [elf.offset(TAG.gnuHash), section.hash.size],
  ];
  for (const [offset, size] of oldTables) file.fill(0, offset, offset + size);
  let position = 0;
  const place = (content, { at }, tag, newTag = tag) => {
    content.copy(file, start + position);
    file.writeBigUInt64LE(BigInt(address + position), at + 16);
    file.writeBigUInt64LE(BigInt(start + position), at + 24);
    file.writeBigUInt64LE(BigInt(content.length), at + 32);
    const entry = elf.entries.find((other) => other.tag === tag).at;
    file.writeBigUInt64LE(BigInt(newTag), entry);
    file.writeBigUInt64LE(BigInt(address + position), entry + 8);
    position = Math.ceil((position + content.length) / 8) * 8;
  };
  place(symbols, section.symbols, TAG.symbols);
  place(hash, section.hash, TAG.gnuHash, TAG.hash);
  file.writeUInt32LE(SECTION.hash, section.hash.at + 4);
  place(versions, section.versions, TAG.versions);
  place(strings, section.strings, TAG.strings);
  if (position > space) throw new Error("The new tables need more space than the old ones.");
  const size = elf.entries.find(({ tag }) => tag === TAG.stringsSize).at;
  file.writeBigUInt64LE(BigInt(strings.length), size + 8);
}
