// A backoff and a PodConfig as kubelet 1.37 has them, for you to replace by your own,
// behind the driver protocol. Judge it: pytest --podsource-impl="cmd:go run ."
package main

import (
	"encoding/json"
	"maps"
	"math/rand"
	"os"
	"slices"
	"time"
)

type object = map[string]any
type entry struct{ delay, failed int64 }

const offer = `{"protocol": 1, "name": "my-adapter", "version": "0.1.0", "language": "go", "kubelet": "1.37",
"components": ["backoff", "podconfig"], "features": ["nil-and-empty"], "abilities": {"time": "virtual", "watch": "told", "http": "told"}}`

var now, wall int64               // of one world, in nanoseconds
var config, fault object          // of the object made last; of the call under way
var entries map[any]entry         // the backoff's
var stored map[any]map[any]object // PodConfig's, by source and UID; nil until the first set
var own = []string{"kubernetes.io/config.source", "kubernetes.io/config.mirror", "kubernetes.io/config.seen"}
var taken = []string{"labels", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "annotations"}

func get[T any](from any, key string) T { value, _ := from.(object)[key].(T); return value }
func ns(from object, key string) int64  { n, _ := get[json.Number](from, key).Int64(); return n }
func text(parts ...any) string          { all, _ := json.Marshal(parts); return string(all) }
func isOwn(key string, _ any) bool      { return slices.Contains(own, key) }

func pick[T any](test bool, a, b T) T { return map[bool]T{true: a, false: b}[test] }
func say(m object)                    { m["jsonrpc"] = "2.0"; json.NewEncoder(os.Stdout).Encode(m) }
func tell(m string, p object)         { p["at_ns"] = now; say(object{"method": m, "params": p}) }

func compared(pod object) string {
	meta := get[object](pod, "metadata")
	notes := maps.Clone(get[object](meta, "annotations"))
	maps.DeleteFunc(notes, isOwn)
	return text(pod["spec"], notes, meta[taken[0]], meta[taken[1]], meta[taken[2]])
}

// change takes over what is new and returns the operation, empty if nothing is.
func change(old, pod object) string {
	before, after := get[object](old, "metadata"), get[object](pod, "metadata")
	status := pick(text(old["status"]) == text(pod["status"]), "", "RECONCILE")
	old["status"] = pod["status"]
	if compared(old) == compared(pod) {
		return status
	}
	kept := get[object](before, "annotations")
	maps.DeleteFunc(kept, func(key string, _ any) bool { return !isOwn(key, nil) })
	maps.Copy(get[object](after, "annotations"), kept)
	old["spec"] = pod["spec"]
	for _, key := range taken {
		before[key] = after[key]
	}
	return pick(after["deletionTimestamp"] == nil, "UPDATE", "DELETE")
}

func send(source any, pods []any) {
	before, after, names, changes := stored[source], map[any]object{}, map[string]bool{}, map[string][]object{}
	for _, each := range pods {
		op, pod, meta := "ADD", each.(object), get[object](each, "metadata")
		name, uid, notes := text(meta["name"], meta["namespace"]), meta["uid"], object{}
		if names[name] {
			tell("env/event", object{"pod": pod, "type": "Warning", "reason": "FailedValidation", "message": name})
			continue
		}
		maps.Copy(notes, get[object](meta, "annotations"))
		names[name], meta["annotations"], notes[own[0]] = true, notes, source
		notes[own[2]] = time.Unix(0, wall+now).UTC().Format("2006-01-02T15:04:05.000000000Z")
		if old, known := before[uid]; known {
			op, pod = change(old, pod), old
		}
		after[uid], changes[op] = pod, append(changes[op], pod)
	}
	if before == nil && changes["ADD"] == nil && changes["UPDATE"] == nil && changes["DELETE"] == nil {
		changes["ADD"] = []object{} // the source has been seen
	}
	maps.DeleteFunc(before, func(uid any, _ object) bool { return after[uid] != nil })
	stored[source], changes["REMOVE"] = after, slices.Collect(maps.Values(before))
	for _, op := range []string{"REMOVE", "ADD", "UPDATE", "DELETE", "RECONCILE"} {
		if changes[op] != nil {
			tell("env/send", object{"source": source, "op": op, "pods": changes[op]})
		}
	}
}

// Next: file and http, with start and stop. Keep timers in a heap that clock/advance runs;
// ask by env/watch and env/fetch, hear files/event and http/reply, send by env/send.
func answer(method string, p object) any {
	last, most, event := ns(config, "initial_ns"), ns(config, "max_ns"), ns(p, "event_ns")
	expires := pick(config["expires_after_ns"] == nil, 2*most, ns(config, "expires_after_ns"))
	e, alive := entries[p["id"]]
	alive = alive && event-e.failed <= expires
	switch method {
	case "initialize":
		return json.RawMessage(offer)
	case "world/begin":
		now, wall, entries, stored = 0, ns(p, "wall_ns"), map[any]entry{}, map[any]map[any]object{}
	case "component/new":
		config = get[object](p, "config")
	case "component/call":
		return object{"value": answer(get[string](p, "method"), get[object](p, "arguments"))}
	case "component/send":
		send(p["source"], get[[]any](p, "pods"))
		tell("update/taken", object{"send_id": p["send_id"]})
	case "clock/jump":
		wall += ns(p, "by_ns")
	case "clock/advance", "settle", "world/end", "shutdown":
		now = max(now, ns(p, "to_ns"))
		return object{"now_ns": now}
	case "next":
		jitter, _ := get[json.Number](config, "jitter_factor").Float64()
		last = pick(alive, e.delay, last)
		delay := last + int64(rand.Float64()*jitter*float64(last))
		entries[p["id"]] = entry{pick(alive, min(delay+last, most), delay), now}
	case "reset", "delete_entry":
		delete(entries, p["id"])
	case "gc":
		maps.DeleteFunc(entries, func(_ any, e entry) bool { return now-e.failed > expires })
	case "get":
		return e.delay
	case "is_in_backoff_since":
		return alive && now-event < e.delay
	case "is_in_backoff_since_update":
		return alive && event-e.failed < e.delay
	case "channel":
		if p["source"] == "" {
			panic("a source needs a name") // it ends the process, and the suite starts it again
		}
		config["sources"] = append(get[[]any](config, "sources"), p["source"])
	case "seen_all_sources":
		lacks := func(each any) bool { return stored[each] == nil || !slices.Contains(get[[]any](p, "seen"), each) }
		return !slices.ContainsFunc(get[[]any](config, "sources"), lacks)
	default:
		fault = object{"code": -32601, "message": "unknown method " + method}
	}
	return object{}
}

func main() {
	in := json.NewDecoder(os.Stdin)
	in.UseNumber()
	for message := (object{}); message["method"] != "shutdown" && in.Decode(&message) == nil; {
		fault = nil
		result := answer(get[string](message, "method"), get[object](message, "params"))
		say(object{"id": message["id"], pick(fault == nil, "result", "error"): pick[any](fault == nil, result, fault)})
	}
}
