// Makes a tool's module of a text that stands for what is in its file, with everything else
// (name, directory, imports) as if it had been read there; used by call.mjs alone.

import fs from "node:fs";
import * as modules from "node:module";
import { dirname, join } from "node:path";

/** This runtime can read a module from nowhere but its file. */
export class Unfit extends Error {}

export async function load(path, url, text, isMain) {
  if (isMain && (globalThis.Bun || globalThis.Deno || text.includes("import.meta.main"))) {
    throw new Unfit("this runtime takes nothing but a file for the program itself");
  }
  const isPlain = !/\.([cm]?ts|[jt]sx)$/.test(path);
  if (!isPlain && !globalThis.Bun && !modules.stripTypeScriptTypes) return import(url);
  if (!isModule(path, text)) return { default: asCommonJs(path, isPlain ? text : plain(path, text), isMain) };
  return globalThis.Bun ? inBun(path, text) : asModule(url, text, isPlain);
}

function plain(path, text) {
  if (globalThis.Bun || path.endsWith("x")) throw new Unfit(`this runtime reads ${path} from its file alone`);
  return modules.stripTypeScriptTypes(text, globalThis.Deno && { mode: "transform" });
}

function inBun(path, text) {
  const only = new RegExp(`^${path.replace(/[^\w/]/g, "\\$&")}$`);
  const loader = /[^.]*$/.exec(path)[0].replace(/^[cm]/, "");
  Bun.plugin({
    name: "toolroom",
    setup: (build) => build.onLoad({ filter: only }, () => ({ contents: text, loader })),
  });
  return import(path);
}

function asCommonJs(path, text, isMain) {
  const { Module } = modules;
  const made = new Module(path);
  if (isMain) [process.mainModule, made.id] = [made, "."];
  made.filename = path;
  made.paths = Module._nodeModulePaths(dirname(path));
  Module._cache[path] = made;
  made._compile(text.replace(/^#!.*/, ""), path);
  made.loaded = true;
  return made.exports;
}

function asModule(url, text, isPlain) {
  const answer = { format: isPlain ? "module" : "module-typescript", source: text, shortCircuit: true };
  if (!isPlain && globalThis.Deno) Object.assign(answer, { format: "module", source: plain(url, text) });
  if (modules.registerHooks) {
    modules.registerHooks({ load: (asked, context, next) => (asked === url ? answer : next(asked, context)) });
  } else if (modules.register) {
    const hooks = `let url, answer;
      export const initialize = (data) => ([url, answer] = data);
      export const load = (asked, context, next) => (asked === url ? answer : next(asked, context));`;
    modules.register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: [url, answer] });
  } else {
    throw new Unfit("this runtime reads modules from their files alone");
  }
  return import(url);
}

/** As Node decides it: by the name, by the nearest package.json, by what is in it. */
function isModule(path, text) {
  if (/\.m[jt]s$/.test(path)) return true;
  if (/\.c[jt]s$/.test(path)) return false;
  for (let folder = dirname(path), below; folder !== below; [folder, below] = [dirname(folder), folder]) {
    try {
      const { type } = JSON.parse(fs.readFileSync(join(folder, "package.json"), "utf8"));
      if (type) return type === "module";
      break;
    } catch (error) {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") break;
    }
  }
  return /^\s*(?:import|export)\b\s*[\w{*"']/m.test(text);
}
