// Runs client-go's informer for the pods of a node, and prints what its handlers are told.
//
//	informer KUBECONFIG NODE
//
// A line for each event: ADDED, MODIFIED, DELETED and the pod's name; SYNCED once the
// first set is there. It ends when its standard input does.
package main

import (
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, node string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ofNode := informers.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", node).String()
	})
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, ofNode)
	pods := factory.Core().V1().Pods().Informer()
	told, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { tell("ADDED", pod) },
		UpdateFunc: func(_, pod any) { tell("MODIFIED", pod) },
		DeleteFunc: func(pod any) { tell("DELETED", pod) },
	})
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, told.HasSynced) {
		return fmt.Errorf("the informer's first set didn't come")
	}
	fmt.Println("SYNCED")
	_, err = io.Copy(io.Discard, os.Stdin)
	close(stop)
	factory.Shutdown()
	return err
}

func tell(what string, object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	fmt.Println(what, object.(*corev1.Pod).Name)
}
