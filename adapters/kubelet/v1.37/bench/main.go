// The kubelet's own merge and decoding, timed inside: benchmarks/kubelet_speed.py puts the
// reference beside it. Prints nanoseconds as JSON.
//
//	bench merge 1000 10000 100000
//	bench decode FOLDER ROUNDS
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/kubelet/config"
)

func main() {
	klog.SetLogger(klog.Background().V(10))
	klog.LogToStderr(false)
	klog.SetOutput(os.Stderr)
	results := map[string]any{}
	switch os.Args[1] {
	case "merge":
		for _, count := range os.Args[2:] {
			results[count] = merges(number(count))
		}
	case "decode":
		results["rounds"] = decodes(os.Args[2], number(os.Args[3]))
	default:
		panic("merge or decode?")
	}
	must(json.NewEncoder(os.Stdout).Encode(results))
}

// merges sends four sets: the first, an equal one, one pod changed, all pods changed. The
// next set is taken when the last one's merge has delivered all that came of it.
func merges(count int) map[string]int64 {
	podConfig := config.NewPodConfig(recorder{}, observer{})
	go func() {
		for range podConfig.Updates() {
		}
	}()
	channel := podConfig.Channel(context.Background(), "file")
	equal := pods(count, "1")
	equal[count/2] = pod(count/2, "2")
	sets := [][]*v1.Pod{pods(count, "1"), pods(count, "1"), equal, pods(count, "3"), pods(count, "3")}
	var taken []time.Time
	for _, set := range sets {
		put(channel, set)
		taken = append(taken, time.Now())
	}
	spent := map[string]int64{}
	for i, name := range []string{"first", "equal", "one", "all"} {
		spent[name] = taken[i+1].Sub(taken[i]).Nanoseconds()
	}
	return spent
}

func pods(count int, image string) []*v1.Pod {
	made := make([]*v1.Pod, count)
	for i := range made {
		made[i] = pod(i, image)
	}
	return made
}

// pod is one as benchmarks/kubelet_speed.py makes it, too.
func pod(number int, image string) *v1.Pod {
	name := fmt.Sprintf("web-%06d", number)
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID(name),
			Labels:      map[string]string{"app": "web", "tier": "front"},
			Annotations: map[string]string{"kubernetes.io/config.hash": name, "team": "a"},
		},
		Spec: v1.PodSpec{
			NodeName: "node1",
			Containers: []v1.Container{{
				Name: "c", Image: "nginx:" + image, Command: []string{"nginx", "-g", "daemon off;"},
				Ports: []v1.ContainerPort{{ContainerPort: 80, Protocol: "TCP"}},
				Env:   []v1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
			}},
			RestartPolicy: "Always", DNSPolicy: "ClusterFirst", SchedulerName: "default-scheduler",
		},
		Status: v1.PodStatus{Phase: "Pending"},
	}
}

// decodes reads all manifests of a folder and decodes them, as often as told.
func decodes(folder string, rounds int) []int64 {
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	must(err)
	var texts [][]byte
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(err)
		texts = append(texts, text)
	}
	logger, spent := klog.Background(), []int64{}
	for range rounds {
		begun := time.Now()
		for i, text := range texts {
			defaults := func(logger klog.Logger, pod *api.Pod) error {
				return applyDefaults(logger, pod, paths[i], true, "node1")
			}
			_, _, err := tryDecodeSinglePod(logger, text, defaults)
			must(err)
		}
		spent = append(spent, time.Since(begun).Nanoseconds())
	}
	return spent
}

// set is what a source sends: a type of the kubelet's that only inference can name.
type set interface{ ~struct{ Pods []*v1.Pod } }

func put[T set](channel chan<- T, pods []*v1.Pod) { channel <- T(struct{ Pods []*v1.Pod }{pods}) }

type observer struct{}

func (observer) ObservedPodOnWatch(klog.Logger, *v1.Pod, time.Time) {}

type recorder struct{}

func (recorder) Event(runtime.Object, string, string, string)                                      {}
func (recorder) Eventf(runtime.Object, string, string, string, ...any)                             {}
func (recorder) AnnotatedEventf(runtime.Object, map[string]string, string, string, string, ...any) {}
func (r recorder) WithLogger(klog.Logger) record.EventRecorderLogger                               { return r }

func number(text string) int {
	n, err := strconv.Atoi(text)
	must(err)
	return n
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

//go:linkname tryDecodeSinglePod k8s.io/kubernetes/pkg/kubelet/config.tryDecodeSinglePod
func tryDecodeSinglePod(klog.Logger, []byte, func(klog.Logger, *api.Pod) error) (bool, *v1.Pod, error)

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(logger klog.Logger, pod *api.Pod, source string, isFile bool, nodeName types.NodeName) error
