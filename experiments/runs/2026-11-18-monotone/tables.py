import random, math, csv
r=random.Random(1)
def row():
    income=math.exp(r.gauss(7.8,.6)); debt=r.betavariate(2,4); age=r.uniform(18,80); region=r.choice(['north','south','west']); years=min(age-18,r.expovariate(1/8)); noise=r.gauss(0,1)
    s={'north':1.5,'south':.6,'west':1.0}[region]
    score=2.2*s*math.tanh((income-2600)/1500)-5*max(0,debt-.25)*(1.6 if years<5 else .8)+.8*math.sin(age/12)+.05*years
    return [income,debt,age,region,years,noise,score]
def write(name,n):
    a=csv.writer(open('loan-'+name+'.csv','w')); b=csv.writer(open('limit-'+name+'.csv','w'))
    h=['income','debt','age','region','years','noise']
    a.writerow(h+['paid']); b.writerow(h+['limit'])
    for _ in range(n):
        *x,s=row(); x=['%.1f'%x[0],'%.4f'%x[1],'%.1f'%x[2],x[3],'%.1f'%x[4],'%.3f'%x[5]]
        a.writerow(x+['yes' if r.random()<1/(1+math.exp(-s)) else 'no']); b.writerow(x+['%.3f'%(s+r.gauss(0,.7))])
write('train',6000); write('test',4000)
