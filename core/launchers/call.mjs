// Calls a JavaScript or TypeScript tool as a function; started by Toolroom in Node, Bun
// or Deno. It reads one JSON request on standard input and writes JSON lines on a
// descriptor of its own: events, and at last a result or an error.

import { Console } from "node:console";
import fs from "node:fs";
import { pathToFileURL } from "node:url";

// Importing it would open standard input, which then no longer waits for what is yet to come.
const { process } = globalThis;

const send = openChannel();
const request = JSON.parse(fs.readFileSync(0, "utf8"));
const toolPath = request.tool_path;
const toolUrl = pathToFileURL(toolPath).href;
let replied = false;

process.argv = [process.argv[0], toolPath, ...(request.argv ?? [])];
if (request.argv) {
  // A script has nothing to tell but what it prints.
  kept();
} else {
  process.on("uncaughtException", (error) => fail(error));
  process.on("unhandledRejection", (error) => fail(error));
  process.on("exit", (status) => {
    const why = status ? `exited with status ${status} before it returned` : "ended before it returned";
    reply({ error: { type: "ToolEnded", message: why } }, status || 1);
  });
  call().then((value) => reply({ result: value === undefined ? null : value }, 0), fail);
}

// The channel ------------------------------------------------------------------------

/** The descriptor that Toolroom passed; without one, standard output, and prints go to
 * standard error. */
function openChannel() {
  const passed = process.env.TOOLROOM_CHANNEL;
  delete process.env.TOOLROOM_CHANNEL;
  if (passed === undefined) {
    process.stdout.write = process.stderr.write.bind(process.stderr);
    // Some consoles have a way of their own to standard output.
    const beside = new Console(process.stderr, process.stderr);
    for (const name of Object.keys(beside)) console[name] = beside[name];
    return (text) => write(1, text);
  }
  // Opening it anew gives a descriptor that the tool's children do not inherit.
  let descriptor = Number(passed);
  if (process.platform !== "win32") {
    descriptor = fs.openSync(`/dev/fd/${passed}`, "w");
    if (!globalThis.Deno) fs.closeSync(Number(passed));
  }
  return (text) => write(descriptor, text);
}

function write(descriptor, text) {
  let data = Buffer.from(text + "\n");
  while (data.length) {
    try {
      data = data.subarray(fs.writeSync(descriptor, data));
    } catch (error) {
      if (error.code !== "EAGAIN") return;
    }
  }
}

function reply(frame, status) {
  if (replied) return;
  let text;
  try {
    text = encode(frame);
  } catch (error) {
    const isCircle = /circular|cyclic/i.test(error?.message);
    text = encode({ error: describe(isCircle ? new TypeError("result contains itself") : error) });
    status = 1;
  }
  replied = true;
  send(text);
  process.exitCode = status || process.exitCode;
  // What the tool did not wait for may still finish, but not hold up the call.
  setTimeout(() => process.exit(), 1000).unref();
}

function fail(error) {
  reply({ error: describe(error) }, 1);
  process.exit(1);
}

// The call ---------------------------------------------------------------------------

async function call() {
  const tool = await (request.source === undefined ? import(toolUrl) : kept()).catch(explain);
  const names = request.entry ?? ["main", "execute"];
  const [name, found] = entry(tool, names);
  if (!found) {
    throw toolError(`${toolPath} exports no function ${names.join(" or ")}, and none by default`);
  }
  return settle(await found(...passed(name, found)));
}

/** The tool's module, made of a text that stands for what is in its file. */
async function kept() {
  const { load, Unfit } = await import("./kept.mjs");
  return load(toolPath, toolUrl, request.source, Boolean(request.argv)).catch((error) => {
    if (!(error instanceof Unfit)) throw error;
    unfit(error.message);
  });
}

/** Says what to do about a file that this runtime cannot read. */
function explain(error) {
  if (error?.code !== "ERR_UNKNOWN_FILE_EXTENSION" || !toolPath.endsWith("ts")) throw error;
  const why = `Node ${process.versions.node} runs no TypeScript; Node 22.18 and later do`;
  unfit(`${why}, or set executor_id to deno_runtime or bun_runtime`);
}

function unfit(message) {
  reply({ error: { type: "ToolError", message, unfit: true } }, 1);
  process.exit(1);
}

/** What is wrong with the tool's file and not with anything it did. */
function toolError(message) {
  return Object.assign(new Error(message), { name: "ToolError", stack: "" });
}

/** One value for each parameter where Toolroom says in which order; else all of them as
 * one object. What the launcher knows comes last, or where it is named. */
function passed(name, found) {
  const params = request.params ?? {};
  if (request.order) {
    const path = request.project_path;
    const all = { projectPath: path, project_path: path, context: context(), ctx: context(), ...params };
    return [...request.order.map((each) => (Object.hasOwn(all, each) ? all[each] : undefined)), context()];
  }
  return [params, name === "execute" && found.length === 2 ? request.project_path : context()];
}

/** A named export, or the default one: a function itself, or an object that holds one,
 * as it does for CommonJS. */
function entry(tool, names) {
  for (const place of [tool, tool.default, tool.default?.default]) {
    for (const name of names) {
      if (typeof place?.[name] === "function") return [name, place[name].bind(place)];
    }
  }
  const functions = [tool.default, tool.default?.default];
  return ["default", functions.find((value) => typeof value === "function")];
}

function context() {
  return { progress, log, toolPath, projectPath: request.project_path };
}

let last;

function progress(done, total, message) {
  const now = performance.now();
  const finished = total !== undefined && total !== null && done >= total;
  if (last && last.message === message && now - last.now < 50 && !finished) return;
  last = { now, message };
  if (!replied) send(encode({ event: "progress", done, total, message }));
}

function log(level, message) {
  if (!replied) send(encode({ event: "log", level: String(level), message: String(message) }));
}

/** Generators tell events while they run, and give what they return or else what they
 * yielded. */
async function settle(value) {
  const steps = value?.[Symbol.asyncIterator] ?? value?.[Symbol.iterator];
  if (!steps || typeof value.next !== "function") return value;
  const items = [];
  let events = 0;
  for (;;) {
    const { done, value: item } = await value.next();
    if (done) return item ?? (items.length || !events ? items : null);
    if (item?.event === "progress") progress(item.done ?? 0, item.total, item.message);
    else if (item?.event === "log") log(item.level ?? "info", item.message);
    else if (isProgress(item)) progress(item.progress, item.total, item.message);
    else {
      items.push(item);
      if (typeof item === "string") log("info", item);
      continue;
    }
    events += 1;
  }
}

function isProgress(item) {
  const known = ["progress", "total", "message"];
  return typeof item?.progress === "number" && Object.keys(item).every((key) => known.includes(key));
}

// JSON -------------------------------------------------------------------------------

function encode(frame) {
  return JSON.stringify(frame, function (key, after) {
    const value = this[key];
    switch (typeof value) {
      case "bigint":
        return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "string":
        return value.isWellFormed?.() === false ? value.toWellFormed() : value;
      case "function":
      case "symbol":
        throw new TypeError(`${placeOf(frame.result, "result", new Set()) ?? key} cannot be written as JSON: ${typeof value}`);
    }
    if (value instanceof Map) return Object.fromEntries(value);
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return { name: value.name, message: value.message };
    if (value instanceof ArrayBuffer) return bytes(new Uint8Array(value));
    if (value instanceof Uint8Array) return bytes(value);
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return [...value];
    return after;
  });
}

// Where the first value stands that JSON has no form for. Only looked for once it is known
// that there is one.
function placeOf(value, place, seen) {
  if (typeof value === "function" || typeof value === "symbol") return place;
  if (value === null || typeof value !== "object" || seen.has(value)) return undefined;
  seen.add(value);
  const isList = Array.isArray(value) || value instanceof Set;
  const items = value instanceof Map ? [...value] : Object.entries(value instanceof Set ? [...value] : value);
  for (const [key, item] of items) {
    const found = placeOf(item, `${place}[${isList ? key : JSON.stringify(String(key))}]`, seen);
    if (found) return found;
  }
  return undefined;
}

function bytes(value) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return { base64: Buffer.from(value).toString("base64") };
  }
}

// Failures ---------------------------------------------------------------------------

function describe(error) {
  if (!(error instanceof Error)) {
    return { type: "Thrown", message: typeof error === "string" ? error : attempt(() => encode(error)) };
  }
  const causes = [];
  for (let cause = error.cause; cause && causes.length < 10; cause = cause.cause) {
    causes.push({ type: nameOf(cause), message: String(cause.message ?? cause) });
  }
  const all = frames(String(error.stack ?? ""));
  const omitted = Math.max(0, all.length - 40);
  return {
    type: nameOf(error),
    message: String(error.message).slice(0, 65536),
    frames: omitted ? [...all.slice(0, 20), ...all.slice(-20)] : all,
    omitted,
    causes,
  };
}

function nameOf(error) {
  const name = error.name === "Error" ? error.constructor?.name : error.name;
  return String(name ?? "Error");
}

function attempt(action) {
  try {
    return String(action());
  } catch {
    return "(it could not be read)";
  }
}

/** Reads a stack in the form of V8 or of JavaScriptCore, outermost call first. */
function frames(stack) {
  const found = [];
  // A file that cannot be parsed is named on the first line alone.
  const head = /^(file:\/\/\S+|\/\S+|[A-Z]:\\\S+):(\d+)$/.exec(stack.split("\n", 1)[0]);
  if (head) found.push(frame(head[1], head[2]));
  for (const line of stack.split("\n")) {
    const match =
      /^\s+at (?:(.*?) \()?((?:file:\/\/)?[^()]+):(\d+):\d+\)?$/.exec(line) ??
      /^(.*)@((?:file:\/\/)?[^@]+):(\d+):\d+$/.exec(line);
    if (!match) continue;
    const [, name, file, number] = match;
    if (file === import.meta.url || file === new URL(import.meta.url).pathname || /^(async )?(node|ext|bun|native):/.test(file)) continue;
    found.push(frame(file.replace(/^async /, ""), number, name?.replace(/^(async )?(Module\.)?/, "")));
  }
  return found.reverse();
}

function frame(file, number, name) {
  const path = file.startsWith("file://") ? decodeURIComponent(new URL(file).pathname) : file;
  const line = Number(number);
  let source = null;
  try {
    const text = (path === toolPath && request.source) || fs.readFileSync(path, "utf8");
    source = text.split("\n")[line - 1]?.trim() || null;
  } catch {
    // The place alone has to do.
  }
  return { file: path, line, function: name || null, source };
}
