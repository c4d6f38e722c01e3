//! A file source with notify, and a backoff, as a user of Rust would write them, behind the
//! driver protocol. The source watches by itself and in real time, so it runs in the real world:
//! cargo build && pytest podsource/file --podsource-impl=cmd:target/debug/notify-source \
//!     --podsource-world=real --podsource-time=real
use notify::{recommended_watcher, Event, RecommendedWatcher, RecursiveMode, Watcher};
use serde_json::{from_str, json, Value};
use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, Receiver};
use std::time::{Duration, Instant};
use std::{fs, io};

const OFFER: &str = r#"{"protocol": 1, "name": "notify-source", "version": "0.1.0", "language": "rust", "kubelet": null,
"components": ["file", "backoff"], "features": [], "abilities": {"time": "real", "watch": "native", "http": "loopback"}}"#;

/// Lists a directory at the start, every period, and after each event that notify tells.
struct FileSource {
    path: PathBuf,
    node: String,
    period: Duration,
    next: Instant,
    events: Option<(RecommendedWatcher, Receiver<notify::Result<Event>>)>,
}

impl FileSource {
    fn new(config: &Value) -> Self {
        let path = PathBuf::from(config["path"].as_str().unwrap_or(""));
        let period = Duration::from_nanos(config["period_ns"].as_u64().unwrap_or(0));
        let node = config["node_name"].as_str().unwrap_or("").into();
        FileSource { path, node, period, next: Instant::now(), events: None }
    }

    fn start(&mut self) {
        self.next = Instant::now();
        let (sender, receiver) = channel();
        if let Ok(mut watcher) = recommended_watcher(sender) {
            if watcher.watch(&self.path, RecursiveMode::NonRecursive).is_ok() {
                self.events = Some((watcher, receiver));
            }
        }
    }

    /// Whether something has happened, or the period is over.
    fn due(&mut self) -> bool {
        let told =
            self.events.as_ref().map_or(0, |(_, events)| events.try_iter().flatten().filter(|e| !e.kind.is_access()).count());
        let late = Instant::now() >= self.next;
        if late {
            self.next = Instant::now() + self.period;
        }
        told > 0 || late
    }

    fn list(&self) -> io::Result<Vec<Value>> {
        let mut files: Vec<PathBuf> = match self.path.is_dir() {
            true => fs::read_dir(&self.path)?.flatten().map(|entry| entry.path()).collect(),
            false => vec![self.path.clone()],
        };
        files.sort();
        let hidden = |file: &Path| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        Ok(files.iter().filter(|file| file.is_file() && !hidden(file)).filter_map(|file| self.pod(file)).collect())
    }

    fn pod(&self, file: &Path) -> Option<Value> {
        let text = fs::read_to_string(file).ok()?;
        let mut pod: Value = serde_yaml::from_str(&text).ok()?;
        if pod["kind"] != "Pod" {
            return None;
        }
        let map = pod.as_object_mut()?;
        map.remove("kind");
        map.remove("apiVersion");
        let meta = &mut pod["metadata"];
        if meta["namespace"].is_null() {
            meta["namespace"] = json!("default");
        }
        if meta["uid"].is_null() {
            let mut hasher = DefaultHasher::new();
            (text, file).hash(&mut hasher);
            meta["uid"] = json!(format!("{:016x}", hasher.finish()));
        }
        meta["name"] = json!(format!("{}-{}", meta["name"].as_str()?, self.node));
        Some(pod)
    }
}

/// The delay of each key doubles up to a maximum, and starts over when it was quiet for twice that.
struct Backoff {
    initial: Duration,
    max: Duration,
    keys: HashMap<String, (Duration, Instant)>,
}

impl Backoff {
    fn next(&mut self, key: &str) {
        let now = Instant::now();
        let delay = match self.keys.get(key) {
            Some((delay, last)) if now - *last <= 2 * self.max => (2 * *delay).min(self.max),
            _ => self.initial,
        };
        self.keys.insert(key.into(), (delay, now));
    }

    fn call(&mut self, method: &str, key: &str) -> Result<Value, String> {
        match method {
            "next" => self.next(key),
            "get" => return Ok(json!(self.keys.get(key).map_or(0, |(delay, _)| delay.as_nanos() as u64))),
            "reset" | "delete_entry" => drop(self.keys.remove(key)),
            "gc" => self.keys.retain(|_, (_, last)| last.elapsed() <= 2 * self.max),
            "is_in_backoff_since_update" | "is_in_backoff_since" => {
                return Ok(json!(self.keys.get(key).is_some_and(|(delay, last)| last.elapsed() < *delay)))
            }
            _ => return Err(format!("there is no {method}")),
        }
        Ok(Value::Null)
    }
}

struct World {
    begun: Instant,
    file: Option<FileSource>,
    backoff: Option<Backoff>,
    started: bool,
}

impl World {
    fn now(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// What the source has noticed is told while a request is worked on, never between.
    fn flush(&mut self) {
        let Some(file) = self.file.as_mut().filter(|_| self.started) else { return };
        if file.due() {
            let pods = file.list().unwrap_or_default();
            let params = json!({"source": "file", "op": "SET", "pods": pods, "at_ns": self.now()});
            println!("{}", json!({"jsonrpc": "2.0", "method": "env/send", "params": params}));
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let config = &params["config"];
        let ns = |key: &str| Duration::from_nanos(config[key].as_u64().unwrap_or(0));
        match method {
            "initialize" => return from_str(OFFER).map_err(|error| error.to_string()),
            "world/begin" | "world/end" => *self = World { begun: Instant::now(), file: None, backoff: None, started: false },
            "component/new" if params["component"] == "file" => self.file = Some(FileSource::new(config)),
            "component/new" => {
                self.backoff = Some(Backoff { initial: ns("initial_ns"), max: ns("max_ns"), keys: HashMap::new() })
            }
            "component/call" if params["component"] == "file" => {
                let file = self.file.as_mut().ok_or("there is no file source")?;
                self.started = params["method"] == "start";
                match self.started {
                    true => file.start(),
                    false => file.events = None,
                }
                return Ok(json!({"value": null}));
            }
            "component/call" => {
                let backoff = self.backoff.as_mut().ok_or("there is no backoff")?;
                let key = params["arguments"]["id"].as_str().unwrap_or("");
                return Ok(json!({"value": backoff.call(params["method"].as_str().unwrap_or(""), key)?}));
            }
            "settle" | "clock/advance" => {
                self.flush();
                return Ok(json!({"now_ns": self.now()}));
            }
            "clock/jump" | "shutdown" => (),
            _ => return Err(format!("unknown method {method}")),
        }
        Ok(json!({}))
    }
}

fn main() {
    let mut world = World { begun: Instant::now(), file: None, backoff: None, started: false };
    for line in io::stdin().lines().map_while(Result::ok) {
        let message: Value = from_str(&line).expect("a message");
        let (id, method) = (&message["id"], message["method"].as_str().unwrap_or(""));
        if id.is_null() {
            continue;
        }
        match world.answer(method, &message["params"]) {
            Ok(result) => println!("{}", json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Err(text) => println!("{}", json!({"jsonrpc": "2.0", "id": id, "error": {"code": 2, "message": text}})),
        }
        if method == "shutdown" {
            return;
        }
    }
}
