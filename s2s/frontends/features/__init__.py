"""Steps before and after a network, built of `graph` operations, so that one compiler makes one function of the whole.

s2s compile kws.tflite --pre mfcc:rate=16000,window=40ms,step=20ms --post argmax --post labels:file=words.txt
"""
