// A backoff and a PodConfig as kubelet 1.37 has them, for you to replace by your own,
// behind the driver protocol. Judge it: pytest --podsource-impl="cmd:cargo run -q"
use serde_json::{from_str, from_value, json, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, UNIX_EPOCH};

const OWN: [&str; 3] = ["kubernetes.io/config.source", "kubernetes.io/config.mirror", "kubernetes.io/config.seen"];
const TAKEN: [&str; 5] = ["labels", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "annotations"];

const OFFER: &str = r#"{"protocol": 1, "name": "my-adapter", "version": "0.1.0", "language": "rust", "kubelet": "1.37",
"components": ["backoff", "podconfig"], "features": ["nil-and-empty"], "abilities": {"time": "virtual", "watch": "told", "http": "told"}}"#;

#[derive(Default)]
struct World {
    now: i64, // times are nanoseconds
    wall: i64,
    config: Value,
    fault: Value,                         // of the call under way
    entries: HashMap<String, (i64, i64)>, // the backoff's: delay, when next was called
    sources: Vec<String>,
    stored: HashMap<String, BTreeMap<String, Value>>, // PodConfig's: by source and UID
}

fn ns(from: &Value, key: &str) -> i64 {
    from[key].as_i64().unwrap_or(0)
}

fn text(from: &Value, key: &str) -> String {
    from[key].as_str().unwrap_or("").into()
}

fn compared(pod: &Value) -> Value {
    let mut meta = pod["metadata"].clone();
    meta["annotations"].as_object_mut().unwrap().retain(|key, _| !OWN.contains(&&**key));
    json!([pod["spec"], meta["annotations"], meta[TAKEN[0]], meta[TAKEN[1]], meta[TAKEN[2]]])
}

// Takes over what is new in pod and returns the operation, empty if nothing is.
fn change(old: &mut Value, pod: &Value) -> &'static str {
    let status = if old["status"] == pod["status"] { "" } else { "RECONCILE" };
    old["status"] = pod["status"].clone();
    if compared(old) == compared(pod) {
        return status;
    }
    let first = old["metadata"]["annotations"].clone();
    TAKEN.iter().for_each(|key| old["metadata"][*key] = pod["metadata"][*key].clone());
    for key in OWN.iter().filter(|key| first.get(key).is_some()) {
        old["metadata"]["annotations"][*key] = first[*key].clone();
    }
    old["spec"] = pod["spec"].clone();
    pod["metadata"]["deletionTimestamp"].as_str().map_or("UPDATE", |_| "DELETE")
}

impl World {
    fn tell(&self, method: &str, mut params: Value) {
        params["at_ns"] = json!(self.now);
        println!("{}", json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, source: &str, pods: &[Value]) {
        let (seen, mut old) = self.stored.remove(source).map_or((false, BTreeMap::new()), |old| (true, old));
        let (mut names, mut kept, mut new, mut changed) = (HashSet::new(), HashSet::new(), vec![], vec![]);
        for pod in pods {
            let (mut pod, uid) = (pod.clone(), text(&pod["metadata"], "uid"));
            let meta = &mut pod["metadata"];
            if !names.insert(format!("{} in {}", meta["name"], meta["namespace"])) {
                self.tell("env/event", json!({"pod": pod, "type": "Warning", "reason": "FailedValidation", "message": "a twin"}));
                continue;
            }
            meta["annotations"] = json!(meta["annotations"].as_object().cloned().unwrap_or_default());
            meta["annotations"][OWN[0]] = json!(source);
            if let Some(stored) = old.get_mut(&uid) {
                changed.push((change(stored, &pod), uid.clone()));
                kept.insert(uid);
            } else {
                let now = UNIX_EPOCH + Duration::from_nanos((self.wall + self.now) as u64);
                meta["annotations"][OWN[2]] = json!(humantime::format_rfc3339_nanos(now).to_string());
                new.push((uid, pod));
            }
        }
        let silent = new.is_empty() && !changed.iter().any(|(op, _)| ["UPDATE", "DELETE"].contains(op));
        for op in ["REMOVE", "ADD", "UPDATE", "DELETE", "RECONCILE"] {
            let gone = old.keys().filter(|uid| op == "REMOVE" && !kept.contains(*uid));
            let uids = gone.chain(changed.iter().filter(|(what, _)| *what == op).map(|(_, uid)| uid));
            let told: Vec<_> = uids.map(|uid| &old[uid]).chain(new.iter().filter(|_| op == "ADD").map(|(_, pod)| pod)).collect();
            if !told.is_empty() || (op == "ADD" && silent && !seen) {
                self.tell("env/send", json!({"source": source, "op": op, "pods": told}));
            }
        }
        old.retain(|uid, _| kept.contains(uid));
        old.extend(new);
        self.stored.insert(source.into(), old);
    }

    // Next: file and http, with start and stop. Keep timers in a heap that clock/advance runs;
    // ask by env/watch and env/fetch, hear files/event and http/reply, send by env/send.
    fn answer(&mut self, method: &str, given: &Value) -> Value {
        let (id, event, most) = (text(given, "id"), ns(given, "event_ns"), ns(&self.config, "max_ns"));
        let expires = self.config["expires_after_ns"].as_i64().unwrap_or(2 * most);
        let (delay, failed) = self.entries.get(&id).copied().unwrap_or_default();
        let alive = self.entries.contains_key(&id) && event - failed <= expires;
        match method {
            "initialize" => return from_str(OFFER).unwrap(),
            "world/begin" => *self = World { wall: ns(given, "wall_ns"), ..World::default() },
            "component/new" => {
                self.config = given["config"].clone();
                self.sources = from_value(self.config["sources"].clone()).unwrap();
            }
            "component/call" => return json!({"value": self.answer(&text(given, "method"), &given["arguments"])}),
            "component/send" => {
                self.send(&text(given, "source"), given["pods"].as_array().unwrap());
                self.tell("update/taken", json!({"send_id": given["send_id"]}));
            }
            "clock/jump" => self.wall += ns(given, "by_ns"),
            "clock/advance" => self.now = ns(given, "to_ns"),
            "next" => {
                let last = if alive { delay } else { ns(&self.config, "initial_ns") };
                let jitter = self.config["jitter_factor"].as_f64().unwrap() * last as f64;
                let extra = (RandomState::new().hash_one(0) as f64 / u64::MAX as f64 * jitter) as i64;
                self.entries.insert(id, (if alive { most.min(2 * last + extra) } else { last + extra }, self.now));
            }
            "reset" | "delete_entry" => drop(self.entries.remove(&id)),
            "gc" => self.entries.retain(|_, (_, failed)| self.now - *failed <= expires),
            "get" => return json!(delay),
            "is_in_backoff_since" => return json!(alive && self.now - event < delay),
            "is_in_backoff_since_update" => return json!(alive && event - failed < delay),
            "channel" if given["source"] == "" => panic!("a source needs a name"), // the suite starts it again
            "channel" => self.sources.push(text(given, "source")),
            "seen_all_sources" => {
                let seen = given["seen"].as_array().unwrap();
                return json!(self.sources.iter().all(|each| seen.contains(&json!(each)) && self.stored.contains_key(each)));
            }
            "settle" | "world/end" | "shutdown" => (),
            _ => self.fault = json!({"code": -32601, "message": format!("unknown method {method}")}),
        }
        json!({"now_ns": self.now})
    }
}

fn main() {
    let mut world = World::default();
    for line in std::io::stdin().lines() {
        let message: Value = from_str(&line.unwrap()).expect("a message");
        let result = world.answer(&text(&message, "method"), &message["params"]);
        let (key, said) = Some(world.fault.take()).filter(Value::is_object).map_or(("result", result), |fault| ("error", fault));
        println!("{}", json!({"jsonrpc": "2.0", "id": message["id"], key: said}));
        if message["method"] == "shutdown" {
            return;
        }
    }
}
